//! What is said of files that cannot be changed or brought back.

use std::path::Path;

use plimsoll_text::Message;

/// What stands where a file of the study was, that is not as the study left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAsLeft {
    /// Nothing.
    Gone,
    /// A link.
    Link,
    /// No regular file.
    NoFile,
    /// A file with other bytes.
    Changed,
}

impl NotAsLeft {
    const fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Link => "link",
            Self::NoFile => "no_file",
            Self::Changed => "changed",
        }
    }
}

fn of_path(id: &str, path: &Path) -> Message {
    Message::new(id).with("path", path.display().to_string())
}

/// A file that cannot be read or written.
#[must_use]
pub fn unwritten(path: &Path, reason: &dyn std::fmt::Display) -> Message {
    of_path("tune-file-unwritten", path).with("reason", reason.to_string())
}

/// A file has other names: a study would change it under one of them alone.
#[must_use]
pub fn several_names(path: &Path, count: u64) -> Message {
    of_path("tune-file-several-names", path).with("count", count)
}

/// A file is not any more what the study wrote or found last: it writes nothing there.
#[must_use]
pub fn not_as_left(path: &Path, what: NotAsLeft) -> Message {
    of_path("tune-file-not-as-left", path).with("what", what.name())
}

/// What stands there is no regular file: it is not brought back.
#[must_use]
pub fn not_back(path: &Path, original: &Path, link: bool) -> Message {
    of_path("tune-file-not-back", path)
        .with("original", original.display().to_string())
        .with("what", if link { "link" } else { "no_file" })
}

/// The folder of a file is another one than it was.
#[must_use]
pub fn another_folder(path: &Path, original: &Path, now: &Path) -> Message {
    let name = original.file_name().unwrap_or_default();
    of_path("tune-file-another-folder", path)
        .with("now", now.display().to_string())
        .with("original", name.to_string_lossy().into_owned())
}

/// The folder of a file is not there any more.
#[must_use]
pub fn folder_gone(path: &Path, original: &Path) -> Message {
    let name = original.file_name().unwrap_or_default();
    of_path("tune-file-folder-gone", path).with("original", name.to_string_lossy().into_owned())
}

/// The original that was kept is not any more what it was.
#[must_use]
pub fn original_changed(path: &Path, original: &Path) -> Message {
    of_path("tune-original-changed", path).with("original", original.display().to_string())
}

/// Nothing is left of the original.
#[must_use]
pub fn original_lost(path: &Path, original: &Path) -> Message {
    of_path("tune-original-lost", path).with("original", original.display().to_string())
}

/// The original was lost, and the file is as it was by the study's own copy.
#[must_use]
pub fn original_mended(path: &Path, original: &Path) -> Message {
    of_path("tune-original-mended", path).with("original", original.display().to_string())
}

/// What somebody else made of a file, or of its original, is kept beside it.
#[must_use]
pub fn others_kept(path: &Path, other: &Path) -> Message {
    of_path("tune-others-kept", path).with("other", other.display().to_string())
}

/// A file lies by now below what the study never touches.
#[must_use]
pub fn never_now(path: &Path, never: &str) -> Message {
    of_path("tune-file-never", path).with("never", never)
}

/// A file has an original beside it that this study has not kept.
#[must_use]
pub fn of_another_study(path: &Path, original: &Path) -> Message {
    of_path("tune-not-restored", path)
        .with("original", original.display().to_string())
        .with("command", move_back(path, original))
}

/// The command that puts an original back.
fn move_back(path: &Path, original: &Path) -> String {
    format!("mv -f -- {} {}", in_shell(original), in_shell(path))
}

/// A path as a shell takes it.
fn in_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@,".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Several messages as one, each on its own line; none of none. The same is said once.
#[must_use]
pub fn together(messages: impl IntoIterator<Item = Message>) -> Option<Message> {
    let mut all: Vec<Message> = Vec::new();
    for message in messages {
        if !all.contains(&message) {
            all.push(message);
        }
    }
    let both = |first, rest| {
        Message::new("tune-both")
            .with("first", first)
            .with("rest", rest)
    };
    all.into_iter().reduce(both)
}
