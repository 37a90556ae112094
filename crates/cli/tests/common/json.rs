//! JSON that the program writes, compared with its own schemas.

use serde_json::Value;
use tempfile::TempDir;

use super::plimsoll;

/// JSON that must be right.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// It is what `plimsoll schema NAME` says.
pub fn assert_valid(dir: &TempDir, schema: &str, value: &Value) {
    assert_fits(&json(&plimsoll(dir, &["schema", schema]).out), value);
}

/// It is what a schema says.
pub fn assert_fits(schema: &Value, value: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}: {value}");
}
