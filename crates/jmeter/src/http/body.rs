//! What a request carries (JMeter 5.6.3, `HTTPHC4Impl.setupHttpEntityEnclosingRequestData`;
//! HttpClient 4.5's entities).

use plimsoll_plan::limits::{DATA_BYTES, read_file};
use std::borrow::Cow;
use std::io;
use std::path::Path;

use plimsoll_access::Access;

use super::charset::{Charset, decoded, put_encoded};
use super::failure::{HttpProblem, not_found};
use super::settings::{Eval, FileArgument, HttpArgument, SamplerSettings};

/// What JMeter shows instead of a file's content.
pub(super) const NOT_SHOWN: &str = "<actual file content, not shown here>";

/// The type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// A body with what is said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpEntity {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// `Content-Type` that stands where JMeter sets it: before the length.
    pub set_type: Option<String>,
    /// `Content-Type` of the entity, written behind the length unless there is one.
    pub own_type: Option<String>,
    /// A multipart body, whose type replaces that of the plan's headers.
    pub multipart: bool,
    /// The body as JMeter shows it, where it is not the bytes.
    pub shown: Option<String>,
}

impl HttpEntity {
    /// The body as text.
    #[must_use]
    pub fn show(&self, charset: Charset) -> String {
        match &self.shown {
            Some(shown) => shown.clone(),
            None => charset.decode(&self.bytes).into_owned(),
        }
    }
}

/// How the body is made, which depends on values that may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyShape {
    /// Multipart.
    Multipart,
    /// One file.
    File,
    /// The values of all arguments.
    Raw,
    /// A form.
    Form,
}

/// Values of an argument.
struct ArgumentValues<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
    encode: bool,
}

fn values<'a>(
    argument: &'a HttpArgument,
    by: &mut Eval<'_>,
) -> Result<ArgumentValues<'a>, HttpProblem> {
    Ok(ArgumentValues {
        name: by.text(&argument.name)?,
        value: by.text(&argument.value)?,
        encode: argument.always || by.text(&argument.encode)?.eq_ignore_ascii_case("true"),
    })
}

impl SamplerSettings {
    /// The encoding of arguments and bodies.
    ///
    /// # Errors
    /// An encoding that is not known, as Java says it.
    pub fn charset(&self, by: &mut Eval<'_>) -> Result<Charset, HttpProblem> {
        let name = self.encoding.text(by)?;
        if name.is_empty() {
            return Ok(Charset::Utf8);
        }
        Charset::of(&name).ok_or_else(|| {
            let class = "java.nio.charset.UnsupportedCharsetException";
            HttpProblem::new(class, name.into_owned())
        })
    }

    /// Whether the values of the arguments are the body.
    ///
    /// # Errors
    /// A text without a value.
    pub fn is_raw(&self, by: &mut Eval<'_>) -> Result<bool, HttpProblem> {
        if self.raw.truth(by)? {
            return Ok(true);
        }
        for argument in &self.arguments {
            if !by.text(&argument.name)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(!self.arguments.is_empty())
    }

    /// Whether the one file is the body.
    ///
    /// # Errors
    /// A text without a value.
    pub fn is_file(&self, by: &mut Eval<'_>) -> Result<bool, HttpProblem> {
        let [file] = self.files.as_slice() else {
            return Ok(false);
        };
        Ok(!by.text(&file.path)?.is_empty() && by.text(&file.name)?.is_empty())
    }

    /// How the body is made.
    ///
    /// # Errors
    /// A text without a value.
    pub fn shape(&self, by: &mut Eval<'_>) -> Result<BodyShape, HttpProblem> {
        let file = self.is_file(by)?;
        let mut whole = !self.files.is_empty();
        for file in &self.files {
            whole &= !by.text(&file.path)?.is_empty();
        }
        Ok(if self.multipart.truth(by)? || (whole && !file) {
            BodyShape::Multipart
        } else if self.arguments.is_empty() && file {
            BodyShape::File
        } else if self.is_raw(by)? {
            BodyShape::Raw
        } else {
            BodyShape::Form
        })
    }

    /// The query that the arguments make (`HTTPSamplerBase.getQueryString`).
    ///
    /// # Errors
    /// A text without a value.
    pub fn query(&self, by: &mut Eval<'_>) -> Result<String, HttpProblem> {
        let mut query = String::new();
        if self.arguments.is_empty() {
            return Ok(query);
        }
        // An unknown encoding only loses the values here.
        let charset = self.charset(by).ok();
        for argument in &self.arguments {
            let ArgumentValues {
                name,
                value,
                encode,
            } = values(argument, by)?;
            if name.is_empty() {
                continue;
            }
            if !query.is_empty() {
                query.push('&');
            }
            if encode {
                put_encoded(&name, Charset::Utf8, &mut query);
            } else {
                query.push_str(&name);
            }
            match argument.metadata.is_there() {
                true => query.push_str(&by.text(&argument.metadata)?),
                false => query.push('='),
            }
            match (encode, charset) {
                (true, Some(charset)) => put_encoded(&value, charset, &mut query),
                (true, None) => {}
                (false, _) => query.push_str(&value),
            }
        }
        Ok(query)
    }

    /// The body. `files` are those it may be made of, `boundary` is drawn for a
    /// multipart body.
    ///
    /// # Errors
    /// What JMeter's sampler would fail with.
    pub fn entity(
        &self,
        by: &mut Eval<'_>,
        files: Files<'_>,
        boundary: &mut dyn FnMut() -> String,
    ) -> Result<HttpEntity, HttpProblem> {
        let charset = self.charset(by)?;
        match self.shape(by)? {
            BodyShape::Multipart => self.multipart_entity(by, files, charset, &boundary()),
            BodyShape::File => {
                let file = &self.files[0];
                let mime = by.text(&file.mime)?;
                Ok(HttpEntity {
                    bytes: files.read(&by.text(&file.path)?)?,
                    set_type: (!mime.is_empty()).then(|| mime.into_owned()),
                    shown: Some(NOT_SHOWN.to_owned()),
                    ..HttpEntity::default()
                })
            }
            BodyShape::Raw => {
                let mut text = String::new();
                for argument in &self.arguments {
                    let ArgumentValues { value, encode, .. } = values(argument, by)?;
                    if encode {
                        put_encoded(&value, charset, &mut text);
                    } else {
                        text.push_str(&value);
                    }
                }
                let mut set_type = None;
                if let Some(file) = self.files.first() {
                    let mime = by.text(&file.mime)?;
                    set_type = (!mime.is_empty()).then(|| mime.into_owned());
                }
                let bytes = match charset.encode(&text) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(bytes) => Some(bytes),
                };
                let own_type = Some(format!("text/plain; charset={}", charset.name()));
                Ok(match bytes {
                    None => HttpEntity {
                        bytes: text.into_bytes(),
                        set_type,
                        own_type,
                        ..HttpEntity::default()
                    },
                    Some(bytes) => HttpEntity {
                        bytes,
                        set_type,
                        own_type,
                        shown: Some(text),
                        ..HttpEntity::default()
                    },
                })
            }
            BodyShape::Form => self.form_entity(by, charset),
        }
    }

    fn form_entity(&self, by: &mut Eval<'_>, charset: Charset) -> Result<HttpEntity, HttpProblem> {
        let mut form = String::new();
        for argument in &self.arguments {
            let ArgumentValues {
                name,
                value,
                encode,
            } = values(argument, by)?;
            if is_skipped(&name) {
                continue;
            }
            if !form.is_empty() {
                form.push('&');
            }
            if encode {
                put_encoded(&name, charset, &mut form);
                form.push('=');
                put_encoded(&value, charset, &mut form);
            } else {
                // Already encoded: decoded, so that it is encoded once.
                let bad = |message| HttpProblem::new("java.lang.IllegalArgumentException", message);
                put_encoded(&decoded(&name, charset).map_err(bad)?, charset, &mut form);
                form.push('=');
                put_encoded(&decoded(&value, charset).map_err(bad)?, charset, &mut form);
            }
        }
        Ok(HttpEntity {
            bytes: form.into_bytes(),
            own_type: Some(format!("{FORM}; charset={}", charset.name())),
            ..HttpEntity::default()
        })
    }

    fn multipart_entity(
        &self,
        by: &mut Eval<'_>,
        files: Files<'_>,
        charset: Charset,
        boundary: &str,
    ) -> Result<HttpEntity, HttpProblem> {
        let lax = self.browser_multipart.truth(by)?;
        let mut parts = MultipartBody {
            bytes: Vec::new(),
            shown: String::new(),
            boundary,
            lax,
            // Names are in UTF-8 unless the body imitates a browser.
            names: if lax { charset } else { Charset::Utf8 },
        };
        for argument in &self.arguments {
            let ArgumentValues { name, value, .. } = values(argument, by)?;
            if is_skipped(&name) {
                continue;
            }
            let mime = by.text(&argument.content_type)?;
            let mime = if mime.is_empty() { "text/plain" } else { &mime };
            let (mime, own) = match mime.split_once(';') {
                Some(_) => (mime.to_owned(), charset_in(mime)),
                None => (format!("{mime}; charset={}", charset.name()), Some(charset)),
            };
            let content = own.unwrap_or(Charset::Ascii).encode(&value).into_owned();
            parts.field(&name, &mime, &content, &value);
        }
        for file in &self.files {
            parts.file(&part_of(file, by, files)?);
        }
        parts.end();
        let content_type = format!(
            "multipart/form-data; boundary={boundary}; charset={}",
            charset.name()
        );
        Ok(HttpEntity {
            bytes: parts.bytes,
            own_type: Some(content_type),
            multipart: true,
            shown: Some(parts.shown),
            ..HttpEntity::default()
        })
    }
}

/// A file as a part.
struct FilePart<'f> {
    name: Cow<'f, str>,
    mime: String,
    file_name: String,
    content: Vec<u8>,
}

fn part_of<'f>(
    file: &'f FileArgument,
    by: &mut Eval<'_>,
    files: Files<'_>,
) -> Result<FilePart<'f>, HttpProblem> {
    let mime = by.text(&file.mime)?;
    let mime = mime.trim();
    if mime.is_empty() {
        let message = "Invalid content type: ";
        return Err(HttpProblem::new("org.apache.http.ParseException", message));
    }
    let path = by.text(&file.path)?;
    let file_name = Path::new(&*path).file_name().unwrap_or_default();
    Ok(FilePart {
        name: by.text(&file.name)?,
        mime: mime.to_owned(),
        file_name: file_name.to_string_lossy().into_owned(),
        content: files.read(&path)?,
    })
}

/// A multipart body being written.
struct MultipartBody<'b> {
    bytes: Vec<u8>,
    shown: String,
    boundary: &'b str,
    lax: bool,
    names: Charset,
}

impl MultipartBody<'_> {
    fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(&self.names.encode(text));
        self.shown.push_str(text);
    }

    fn begin(&mut self, name: &str, file_name: Option<&str>) {
        let boundary = self.boundary;
        self.put(&format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            name.replace('\\', "\\\\").replace('"', "\\\"")
        ));
        if let Some(file_name) = file_name {
            let file_name = file_name
                .replace('"', "%22")
                .replace('\n', "%0A")
                .replace('\r', "%0D");
            self.put(&format!("; filename=\"{file_name}\""));
        }
        self.put("\r\n");
    }

    fn field(&mut self, name: &str, mime: &str, content: &[u8], shown: &str) {
        self.begin(name, None);
        if !self.lax {
            let head = format!("Content-Type: {mime}\r\nContent-Transfer-Encoding: 8bit\r\n");
            self.put(&head);
        }
        self.put("\r\n");
        self.bytes.extend_from_slice(content);
        self.shown.push_str(shown);
        self.put("\r\n");
    }

    fn file(&mut self, file: &FilePart<'_>) {
        self.begin(&file.name, Some(&file.file_name));
        self.put(&format!("Content-Type: {}\r\n", file.mime));
        if !self.lax {
            self.put("Content-Transfer-Encoding: binary\r\n");
        }
        self.put("\r\n");
        self.bytes.extend_from_slice(&file.content);
        self.shown.push_str(NOT_SHOWN);
        self.put("\r\n");
    }

    fn end(&mut self) {
        let boundary = self.boundary;
        self.put(&format!("--{boundary}--\r\n"));
    }
}

/// The encoding that a content type names.
fn charset_in(mime: &str) -> Option<Charset> {
    let mut parameters = mime.split(';').skip(1);
    let found = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches('"'))
    });
    found.and_then(Charset::of)
}

/// Whether an argument of this name is left out (`HttpArgument.isSkippable`).
pub(super) fn is_skipped(name: &str) -> bool {
    let trimmed = name.trim();
    trimmed.is_empty() || (trimmed.starts_with("${") && name.ends_with('}'))
}

/// The files that a sampler sends.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// The plan's folder.
    pub folder: &'a Path,
    /// Which may be used.
    pub access: &'a Access,
}

impl Files<'_> {
    /// A file's bytes; JMeter reads it for each request. A relative one is where it works, or
    /// beside the plan (JMeter 5.6.3, `FileServer.resolveFileFromPath`).
    pub(super) fn read(self, path: &str) -> Result<Vec<u8>, HttpProblem> {
        self.bytes(path).map_err(|error| {
            let beside = self.folder.join(path);
            let path = std::path::absolute(&beside).unwrap_or(beside);
            not_found(&path.to_string_lossy(), &error)
        })
    }

    /// The same; what is wrong is the system's word.
    pub(crate) fn bytes(self, path: &str) -> io::Result<Vec<u8>> {
        let here = Path::new(path);
        let beside = self.folder.join(path);
        let file = match self.access.exists(here) {
            true => here,
            false => &beside,
        };
        read_file(self.access.open(file), DATA_BYTES).map_err(io::Error::from)
    }
}

/// The characters of a boundary, and how many there are at least and at most (HttpMime 4.5,
/// `MultipartEntityBuilder.generateBoundary`).
const BOUNDARY: &[u8; 64] = b"-_1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A boundary of 30 to 40 characters.
pub fn boundary(mut bits: impl FnMut() -> u64) -> String {
    let length = 30 + usize::try_from(bits() % 11).unwrap_or(0);
    let mut pool = 0;
    let mut left = 0;
    let character = |_| {
        if left == 0 {
            (pool, left) = (bits(), 10);
        }
        let at = usize::try_from(pool & 63).unwrap_or(0);
        pool >>= 6;
        left -= 1;
        char::from(BOUNDARY[at])
    };
    (0..length).map(character).collect()
}
