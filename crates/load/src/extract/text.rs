//! Headers, cookies, and what stands between two texts.

use memchr::memmem;

use super::matching::Each;
use super::response::ResponseView;

pub(super) fn header(response: &ResponseView<'_>, name: &str, each: Each<'_>) {
    let _ = response.header(name).try_for_each(|value| each(&value));
}

/// The values of the cookies of this name that the response sets (RFC 6265, 5.2).
pub(super) fn cookie(response: &ResponseView<'_>, name: &str, each: Each<'_>) {
    let _ = response.header("set-cookie").try_for_each(|header| {
        let pair = header.split(';').next().unwrap_or_default();
        match pair.split_once('=') {
            Some((found, value)) if found.trim() == name => each(value.trim()),
            _ => std::ops::ControlFlow::Continue(()),
        }
    });
}

/// What stands between two texts. An empty left one is the beginning, an empty right one the end.
pub(super) fn boundary(text: &str, left: &str, right: &str, each: Each<'_>) {
    let (left_finder, right_finder) = (memmem::Finder::new(left), memmem::Finder::new(right));
    let mut rest = text;
    while let Some(start) = left_finder.find(rest.as_bytes()) {
        rest = &rest[start + left.len()..];
        let end = if right.is_empty() {
            rest.len()
        } else {
            match right_finder.find(rest.as_bytes()) {
                Some(end) => end,
                None => return,
            }
        };
        if each(&rest[..end]).is_break() {
            return;
        }
        rest = &rest[end + right.len()..];
        if left.is_empty() || right.is_empty() {
            return;
        }
    }
}
