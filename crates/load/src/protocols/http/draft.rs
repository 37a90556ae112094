//! Putting a request together.

use plimsoll_plan::program::{BodyTemplate, PartTemplate, Request, Template};
use plimsoll_stats::ErrorKind;
use plimsoll_text::{Arg, Message};
use url::Url;

use crate::failure::Failure;
use crate::functions::EvalError;
use crate::http1::{FormBody, FormPart, Multipart};
use crate::user::User;

/// What a request says, apart from where it goes: what redirects may change.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Method.
    pub method: String,
    /// Where to.
    pub url: Url,
    /// Headers of the plan.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Option<Vec<u8>>,
    /// `Content-Type` that follows from the body.
    pub content_type: Option<String>,
    /// Whether the plan's credentials go with it: not to another origin than the first.
    pub credentials: bool,
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        let detail = error.to_string();
        let stable = stable_of(&error.message, &detail);
        Self {
            stable,
            ..Self::new(error.kind, detail)
        }
    }
}

/// Where the reason of a check ends to be the same for whatever was found.
fn stable_of(message: &Message, detail: &str) -> Option<usize> {
    if message.id != "check-failed" {
        return None;
    }
    let found = message.args.iter().find(|(name, _)| name == "found")?;
    let Arg::Text(found) = &found.1 else {
        return None;
    };
    let before = detail.strip_suffix(found.as_str())?;
    Some(before.strip_suffix(", but is: ")?.len())
}

fn bad(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Other, format!("{what}: {error}"))
}

impl User {
    /// What the request says for this user now.
    pub(crate) fn draft(&mut self, request: &Request) -> Result<Draft, Failure> {
        let url = self.url_of(request)?;
        let mut headers = Vec::with_capacity(request.headers.len());
        for (name, value) in &request.headers {
            headers.push((self.text(name)?, self.text(value)?));
        }
        let (body, content_type) = self.body_of(&request.body)?;
        Ok(Draft {
            method: self.text(&request.method)?,
            url,
            headers,
            body,
            content_type,
            credentials: true,
        })
    }

    fn url_of(&mut self, request: &Request) -> Result<Url, Failure> {
        let text = self.text(&request.url)?;
        let text = text.trim();
        let parsed = match &request.base {
            Some(base) if !is_absolute(text) => Url::parse(&joined(&self.text(base)?, text)),
            _ => Url::parse(text),
        };
        let mut url = parsed.map_err(|error| bad(&format!("URL \"{text}\""), error))?;
        if !request.query.is_empty() {
            let mut query = url.query().unwrap_or_default().as_bytes().to_vec();
            self.add_pairs(&request.query, &mut query)?;
            url.set_query(Some(&String::from_utf8_lossy(&query)));
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// Appends pairs as a form has them.
    fn add_pairs(
        &mut self,
        pairs: &[(Template, Template)],
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        for (name, value) in pairs {
            let (name, value) = (self.text(name)?, self.text(value)?);
            if !out.is_empty() {
                out.push(b'&');
            }
            FormBody::new(out).pair(&name, &value);
        }
        Ok(())
    }

    fn body_of(
        &mut self,
        body: &BodyTemplate,
    ) -> Result<(Option<Vec<u8>>, Option<String>), Failure> {
        Ok(match body {
            BodyTemplate::Empty => (None, None),
            BodyTemplate::Text(text) => (Some(self.text(text)?.into_bytes()), None),
            BodyTemplate::File(path) => (Some(self.file(path)?.1), None),
            BodyTemplate::Form(fields) => {
                let mut bytes = Vec::new();
                self.add_pairs(fields, &mut bytes)?;
                (
                    Some(bytes),
                    Some("application/x-www-form-urlencoded".to_owned()),
                )
            }
            BodyTemplate::Multipart(parts) => {
                let (bytes, content_type) = self.multipart(parts)?;
                (Some(bytes), Some(content_type))
            }
        })
    }

    fn multipart(&mut self, parts: &[PartTemplate]) -> Result<(Vec<u8>, String), Failure> {
        let mut owned = Vec::with_capacity(parts.len());
        for part in parts {
            let name = self.text(&part.name)?;
            let (mut file_name, bytes) = if part.is_file {
                let (name, bytes) = self.file(&part.content)?;
                (Some(name), bytes)
            } else {
                (None, self.text(&part.content)?.into_bytes())
            };
            if let Some(given) = &part.file_name {
                file_name = Some(self.text(given)?);
            }
            owned.push((name, file_name, bytes));
        }
        let borrowed: Vec<FormPart<'_>> = owned
            .iter()
            .zip(parts)
            .map(|((name, file_name, content), part)| FormPart {
                name,
                filename: file_name.as_deref(),
                content_type: part.content_type.as_deref(),
                data: content,
            })
            .collect();
        let multipart = Multipart::new(&borrowed).map_err(|error| bad("multipart", error))?;
        let mut bytes = Vec::new();
        multipart.write(&mut bytes);
        Ok((bytes, multipart.content_type()))
    }

    /// The last part of a file's path, and its bytes.
    fn file(&mut self, path: &Template) -> Result<(String, Vec<u8>), Failure> {
        let path = self.text(path)?;
        let path = self.thread.program.folder.join(path);
        let bytes = self
            .thread
            .prepared
            .file(&path)
            .map_err(|e| bad(&path.display().to_string(), e))?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Ok((name.unwrap_or_default(), bytes.to_vec()))
    }
}

/// Whether a text begins as an absolute URL does.
fn is_absolute(text: &str) -> bool {
    let scheme = text.split("://").next().unwrap_or_default();
    let of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.len() < text.len() && !scheme.is_empty() && scheme.bytes().all(of_scheme)
}

/// A target and a path put together with exactly one `/` between, as the compiler does it
/// where it can.
fn joined(target: &str, path: &str) -> String {
    if path.is_empty() || path.starts_with('?') {
        return format!("{target}{path}");
    }
    let target = target.strip_suffix('/').unwrap_or(target);
    format!("{target}/{}", path.strip_prefix('/').unwrap_or(path))
}

/// The value of a header the plan sets.
pub fn header_of<'d>(draft: &'d Draft, name: &str) -> Option<&'d str> {
    let found = draft
        .headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_behind_their_target() {
        assert_eq!(joined("http://h/api", "/x"), "http://h/api/x");
        assert_eq!(joined("http://h/", "x"), "http://h/x");
        assert_eq!(joined("http://h/a", "?q"), "http://h/a?q");
        assert!(is_absolute("https://h/") && !is_absolute("/go?to=http://h/") && !is_absolute("x"));
    }
}
