//! Putting a request together.

use std::borrow::Cow;

use plimsoll_plan::program::{AuthTemplate, BodyTemplate, PartTemplate, Request, Template};
use plimsoll_stats::ErrorKind;
use url::Url;

use super::User;
use crate::engine::prepared::{USER_AGENT, authority, framing, origin_form};
use crate::failure::Failure;
use crate::functions::EvalError;
use crate::http1::{Form, Multipart, Part, RequestHead, Target};

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
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::new(error.kind, error.to_string())
    }
}

fn bad(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Other, format!("{what}: {error}"))
}

impl User {
    /// What the request says for this user now.
    pub(super) fn draft(&mut self, request: &Request) -> Result<Draft, Failure> {
        let url = self.url_of(request)?;
        let mut headers = Vec::with_capacity(request.headers.len());
        for (name, value) in &request.headers {
            headers.push((self.text(name)?, self.text(value)?));
        }
        let (body, content_type) = self.body_of(&request.body)?;
        Ok(Draft { method: self.text(&request.method)?, url, headers, body, content_type })
    }

    fn url_of(&mut self, request: &Request) -> Result<Url, Failure> {
        let text = self.text(&request.url)?;
        let text = text.trim();
        let parsed = match &request.base {
            Some(base) if !text.contains("://") => {
                let base = self.text(base)?;
                Url::parse(&base).and_then(|base| base.join(text))
            }
            _ => Url::parse(text),
        };
        let mut url = parsed.map_err(|error| bad(&format!("URL \"{text}\""), error))?;
        if !request.query.is_empty() {
            let mut query = url.query().unwrap_or_default().as_bytes().to_vec();
            if !query.is_empty() {
                query.push(b'&');
            }
            for (name, value) in &request.query {
                let (name, value) = (self.text(name)?, self.text(value)?);
                Form::new(&mut query).pair(&name, &value);
            }
            url.set_query(Some(&String::from_utf8_lossy(&query)));
        }
        url.set_fragment(None);
        Ok(url)
    }

    fn body_of(&mut self, body: &BodyTemplate) -> Result<(Option<Vec<u8>>, Option<String>), Failure> {
        Ok(match body {
            BodyTemplate::Empty => (None, None),
            BodyTemplate::Text(text) => (Some(self.text(text)?.into_bytes()), None),
            BodyTemplate::File(path) => (Some(self.file(path)?.1), None),
            BodyTemplate::Form(fields) => {
                let mut bytes = Vec::new();
                for (name, value) in fields {
                    let (name, value) = (self.text(name)?, self.text(value)?);
                    Form::new(&mut bytes).pair(&name, &value);
                }
                (Some(bytes), Some("application/x-www-form-urlencoded".to_owned()))
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
        let borrowed: Vec<Part<'_>> = owned
            .iter()
            .zip(parts)
            .map(|((name, file_name, content), part)| Part {
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
        let bytes = self.thread.prepared.file(&path).map_err(|e| bad(&path.display().to_string(), e))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok((name.unwrap_or_default(), bytes.to_vec()))
    }

    /// Writes a request's bytes; gives the length of its head.
    pub(super) fn write(
        &mut self,
        request: &Request,
        draft: &Draft,
        absolute_form: bool,
        out: &mut Vec<u8>,
    ) -> Result<usize, Failure> {
        let own_host = header_of(draft, "host").map(str::to_owned);
        let host = own_host.unwrap_or_else(|| authority(&draft.url));
        let target: Cow<'_, str> = if absolute_form {
            Cow::Owned(draft.url[..url::Position::AfterQuery].to_owned())
        } else {
            Cow::Borrowed(origin_form(&draft.url))
        };
        let target = if absolute_form { Target::Absolute(&target) } else { Target::Origin(&target) };
        let invalid = |error: crate::http1::RequestError| bad("request", error);
        let mut head = RequestHead::new(out, &draft.method, target, &host).map_err(invalid)?;
        for (name, value) in &draft.headers {
            if !RequestHead::is_reserved(name) {
                head.header(name, value.as_bytes()).map_err(invalid)?;
            }
        }
        for (name, value) in self.made_headers(request, draft)? {
            if header_of(draft, name).is_none() {
                head.header(name, value.as_bytes()).map_err(invalid)?;
            }
        }
        head.finish(framing(&draft.method, draft.body.as_ref().map(Vec::len)));
        let head_bytes = out.len();
        out.extend_from_slice(draft.body.as_deref().unwrap_or_default());
        Ok(head_bytes)
    }

    /// Headers that the engine makes unless the plan sets them.
    fn made_headers(
        &mut self,
        request: &Request,
        draft: &Draft,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut made = vec![("User-Agent", USER_AGENT.to_owned())];
        if let Some(content_type) = &draft.content_type {
            made.push(("Content-Type", content_type.clone()));
        }
        if !request.keep_alive {
            made.push(("Connection", "close".to_owned()));
        }
        if let Some(authorization) = self.authorization(request, draft)? {
            made.push(("Authorization", authorization));
        }
        if self.cookies_wanted(request.cookies)
            && let Some(cookies) = self.cookies.header_for(&draft.url)
        {
            made.push(("Cookie", cookies.to_string()));
        }
        Ok(made)
    }

    fn authorization(&mut self, request: &Request, draft: &Draft) -> Result<Option<String>, Failure> {
        Ok(match &request.auth {
            None => None,
            Some(AuthTemplate::Basic(user, password)) => {
                Some(crate::auth::basic(&self.text(user)?, &self.text(password)?))
            }
            Some(AuthTemplate::Bearer(token)) => Some(format!("Bearer {}", self.text(token)?)),
            Some(AuthTemplate::Digest(user, password)) => {
                let (user, password) = (self.text(user)?, self.text(password)?);
                let cnonce = self.random.bits();
                let target = origin_form(&draft.url);
                self.digest.header(&draft.method, target, &user, &password, cnonce)
            }
        })
    }
}

/// The value of a header the plan sets.
pub fn header_of<'d>(draft: &'d Draft, name: &str) -> Option<&'d str> {
    let found = draft.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}
