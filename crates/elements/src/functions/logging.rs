//! What JMeter writes to its log: `__log`, `__logn`.

use std::borrow::Cow;

use plimsoll_plan::program::Call;

use super::args::{count, text, trim};
use crate::context::{Context, Fault};

/// `__log(text[, level[, throwable[, comment]]])`: logs a text and gives it.
pub(super) fn log(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let [value, level, thrown] = texts(call, cx)?;
    let comment = text(call, 3, cx)?;
    let thrown = (!thrown.is_empty()).then_some(&*thrown);
    write(&value, &level, thrown, &comment, cx);
    Ok(value.into_owned())
}

/// `__logn(text[, level[, throwable]])`: logs a text and gives nothing.
pub(super) fn log_silently(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let [value, level, thrown] = texts(call, cx)?;
    let thrown = (count(call) > 2).then_some(&*thrown);
    write(&value, &level, thrown, "", cx);
    Ok(String::new())
}

fn texts<'c>(call: &'c Call, cx: &mut dyn Context) -> Result<[Cow<'c, str>; 3], Fault> {
    Ok([text(call, 0, cx)?, text(call, 1, cx)?, text(call, 2, cx)?])
}

/// Logs at JMeter's usual level, INFO: what is below it is not written.
fn write(value: &str, level: &str, thrown: Option<&str>, comment: &str, cx: &mut dyn Context) {
    let level = match trim(level).to_uppercase() {
        level if level.is_empty() => "INFO".to_owned(),
        level => level,
    };
    let comment = if comment.is_empty() { " : " } else { comment };
    let name = cx.thread().name;
    let thrown = thrown.map_or(String::new(), |text| {
        format!(" java.lang.Throwable: {text}")
    });
    match level.as_str() {
        "OUT" | "ERR" => {
            let gap = if comment == " : " { "" } else { " " };
            cx.log(&format!("Log: {name}{gap}{comment}{value}{thrown}"));
        }
        "INFO" | "WARN" | "ERROR" => {
            cx.log(&format!("{level} {name} {comment} {value}{thrown}"));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn texts_are_logged_from_info_up() {
        let mut cx = TestContext::with(&[]);
        cx.thread.name = "g 1-1".into();
        assert_eq!(run("__log", &["hello"], &mut cx), "hello");
        assert_eq!(
            run("__log", &["hello", "warn", "boom", "note"], &mut cx),
            "hello"
        );
        assert_eq!(run("__log", &["quiet", "debug"], &mut cx), "quiet");
        assert_eq!(run("__log", &["quiet", "odd"], &mut cx), "quiet");
        assert_eq!(run("__logn", &["bye", "OUT"], &mut cx), "");
        let expected = [
            "INFO g 1-1  :  hello",
            "WARN g 1-1 note hello java.lang.Throwable: boom",
            "Log: g 1-1 : bye",
        ];
        assert_eq!(cx.logged, expected);
    }
}
