//! What a request carries (JMeter 5.6.3, `PostWriter` and `PutWriter`).

use std::path::Path;

use super::super::body::{BodyShape, Files, NOT_SHOWN, is_skipped};
use super::super::charset::Charset;
use super::super::failure::HttpProblem;
use super::super::settings::{Eval, FileArgument, SamplerSettings};

/// What stands between the parts of a multipart body: always the same.
const BOUNDARY: &str = "---------------------------7d159c1302d0y0";

/// A body with what is said of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JavaBody {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Its content type, if JMeter names one.
    pub content_type: Option<String>,
    /// Its content type takes the place of the plan's.
    pub multipart: bool,
    /// The body as JMeter shows it, where it is not the bytes.
    shown: Option<String>,
}

impl JavaBody {
    /// The body as text.
    #[must_use]
    pub fn show(&self, charset: Charset) -> String {
        match &self.shown {
            Some(shown) => shown.clone(),
            None => charset.decode(&self.bytes).into_owned(),
        }
    }
}

impl SamplerSettings {
    /// The body that Java sends with this method; only a POST always has one.
    ///
    /// # Errors
    /// What JMeter's sampler would fail with.
    pub fn java_body(
        &self,
        method: &str,
        by: &mut Eval<'_>,
        files: Files<'_>,
    ) -> Result<Option<JavaBody>, HttpProblem> {
        let is_put = method == "PUT";
        if !is_put && method != "POST" {
            return Ok(None);
        }
        let charset = self.charset(by)?;
        Ok(Some(match self.shape(by)? {
            BodyShape::Multipart if is_put => {
                let message = "cannot write to a URLConnection if doOutput=false - call \
                               setDoOutput(true)";
                return Err(HttpProblem::new("java.net.ProtocolException", message));
            }
            BodyShape::Multipart => self.java_multipart(by, files, charset)?,
            BodyShape::File => self.java_file(by, files)?,
            BodyShape::Raw => {
                let entity = self.entity(by, files, &mut String::new)?;
                JavaBody {
                    bytes: entity.bytes,
                    content_type: entity.set_type,
                    shown: entity.shown,
                    ..JavaBody::default()
                }
            }
            BodyShape::Form if is_put => return Ok(None),
            BodyShape::Form => {
                let form = self.query(by)?;
                JavaBody {
                    bytes: charset.encode(&form).into_owned(),
                    ..JavaBody::default()
                }
            }
        }))
    }

    fn java_file(&self, by: &mut Eval<'_>, files: Files<'_>) -> Result<JavaBody, HttpProblem> {
        let file = &self.files[0];
        let mime = by.text(&file.mime)?;
        Ok(JavaBody {
            bytes: content(file, by, files)?,
            content_type: (!mime.is_empty()).then(|| mime.into_owned()),
            shown: Some(NOT_SHOWN.to_owned()),
            ..JavaBody::default()
        })
    }

    fn java_multipart(
        &self,
        by: &mut Eval<'_>,
        files: Files<'_>,
        charset: Charset,
    ) -> Result<JavaBody, HttpProblem> {
        let mut parts = JavaParts {
            charset,
            bytes: Vec::new(),
            shown: String::new(),
        };
        let typed = !self.browser_multipart.truth(by)?;
        for argument in &self.arguments {
            let name = by.text(&argument.name)?;
            if is_skipped(&name) {
                continue;
            }
            parts.begin(&name);
            parts.put("\"\r\n");
            if typed {
                let kind = format!("Content-Type: text/plain; charset={}\r\n", charset.name());
                parts.put(&kind);
                parts.put("Content-Transfer-Encoding: 8bit\r\n");
            }
            parts.put(&format!("\r\n{}\r\n", by.text(&argument.value)?));
        }
        for file in &self.files {
            let path = by.text(&file.path)?;
            let file_name = Path::new(&*path).file_name().unwrap_or_default();
            let file_name = with_entities(&file_name.to_string_lossy(), charset);
            parts.begin(&by.text(&file.name)?);
            parts.put(&format!(
                "\"; filename=\"{}\"\r\nContent-Type: {}\r\n\
                 Content-Transfer-Encoding: binary\r\n\r\n",
                escaped(&file_name),
                by.text(&file.mime)?,
            ));
            parts.bytes.extend(content(file, by, files)?);
            parts.shown.push_str(NOT_SHOWN);
            parts.put("\r\n");
        }
        parts.put(&format!("--{BOUNDARY}--\r\n"));
        Ok(JavaBody {
            bytes: parts.bytes,
            content_type: Some(format!("multipart/form-data; boundary={BOUNDARY}")),
            multipart: true,
            shown: Some(parts.shown),
        })
    }
}

/// A multipart body being written, and as JMeter shows it.
struct JavaParts {
    charset: Charset,
    bytes: Vec<u8>,
    shown: String,
}

impl JavaParts {
    fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(&self.charset.encode(text));
        self.shown.push_str(text);
    }

    /// Up to the end of the part's name.
    fn begin(&mut self, name: &str) {
        let name = escaped(name);
        self.put(&format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}"
        ));
    }
}

fn content(
    file: &FileArgument,
    by: &mut Eval<'_>,
    files: Files<'_>,
) -> Result<Vec<u8>, HttpProblem> {
    let path = by.text(&file.path)?;
    files.read(&path).map_err(|problem| match problem.message {
        Some(message) if message.ends_with("(No such file or directory)") => {
            HttpProblem::new("java.nio.file.NoSuchFileException", path.into_owned())
        }
        message => HttpProblem { message, ..problem },
    })
}

/// A name between quotes, as browsers write it.
fn escaped(name: &str) -> String {
    name.replace('"', "%22")
        .replace('\n', "%0A")
        .replace('\r', "%0D")
}

/// A text with references in the place of characters that the encoding does not have.
fn with_entities(text: &str, charset: Charset) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let known = c == '?' || *charset.encode(c.encode_utf8(&mut [0; 4])) != *b"?";
        match known {
            true => out.push(c),
            false => out += &format!("&#{};", u32::from(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_written_as_browsers_write_them() {
        assert_eq!(escaped("a\"b\nc"), "a%22b%0Ac");
        assert_eq!(with_entities("ä€?.txt", Charset::Latin1), "ä&#8364;?.txt");
        assert_eq!(with_entities("ä€", Charset::Utf8), "ä€");
    }
}
