//! Functions that a runtime compiled while running, by what it calls them in its perf map.

use crate::frame::{FrameKind, NamedFrame, tellable};
use crate::owner::script_library;

/// What V8 calls its code (`src/logger.cc`, `CodeTag`): functions of scripts.
const SCRIPTS: [&str; 6] = [
    "LazyCompile:",
    "Function:",
    "JS:",
    "Script:",
    "Eval:",
    "InterpretedFunction:",
];
/// And its own.
const PLATFORM: [&str; 8] = [
    "Builtin:",
    "BytecodeHandler:",
    "Stub:",
    "RegExp:",
    "Handler:",
    "LoadIC:",
    "CallIC:",
    "Wasm:",
];

/// The call that a name of a perf map stands for.
pub(crate) fn compiled_call(name: &str) -> NamedFrame {
    let script = SCRIPTS.iter().find_map(|kind| name.strip_prefix(kind));
    if let Some(script) = script {
        return script_call(script);
    }
    let own = PLATFORM.iter().any(|kind| name.starts_with(kind));
    NamedFrame {
        function: tellable(name),
        file: None,
        line: None,
        library: own.then(|| "node".to_owned()),
        kind: FrameKind::Native,
    }
}

/// `*crunch /srv/app/shop.js:12:5`: the mark tells how far it was optimized.
fn script_call(script: &str) -> NamedFrame {
    let script = script.trim_start_matches(['*', '~', '^', '+', '\'']);
    let (function, place) = script.split_once(' ').unwrap_or(("", script));
    let place = place.strip_prefix("file://").unwrap_or(place);
    // The column may be missing.
    let mut parts = place.rsplitn(3, ':');
    let (last, before, first) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    let (file, line) = match (first, number(before), number(last)) {
        (Some(file), Some(line), Some(_)) => (file, Some(line)),
        (_, _, Some(line)) => (
            place.rsplit_once(':').map_or(place, |(file, _)| file),
            Some(line),
        ),
        _ => (place, None),
    };
    NamedFrame::of_script(function, file, line)
}

impl NamedFrame {
    /// A function of a script that a runtime compiles: its file as a path or as a module's name (`node:fs`), its line
    /// from 1. What has no name is anonymous.
    #[must_use]
    pub fn of_script(function: &str, file: &str, line: Option<u32>) -> Self {
        let function = match function {
            "" => "(anonymous)",
            named => named,
        };
        Self {
            function: tellable(function),
            file: (!file.is_empty()).then(|| tellable(file)),
            line,
            library: script_library(file),
            kind: FrameKind::Native,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_scripts_have_files_and_lines() {
        let call = |name| {
            let call = compiled_call(name);
            (call.function, call.file, call.line, call.library)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            call("LazyCompile:*crunch /srv/my app/shop.js:12:5"),
            (
                "crunch".to_owned(),
                some("/srv/my app/shop.js"),
                Some(12),
                None
            )
        );
        assert_eq!(
            call("JS:~parse file:///srv/node_modules/qs/lib/parse.js:7:1"),
            (
                "parse".to_owned(),
                some("/srv/node_modules/qs/lib/parse.js"),
                Some(7),
                some("qs")
            )
        );
        assert_eq!(
            call("Function:^ node:internal/timers:512:19"),
            (
                "(anonymous)".to_owned(),
                some("node:internal/timers"),
                Some(512),
                some("node:internal/timers")
            )
        );
        assert_eq!(call("Builtin:ArrayPrototypeSort").3, some("node"));
        assert_eq!(call("LazyCompile:*x ").0, "x");
    }
}
