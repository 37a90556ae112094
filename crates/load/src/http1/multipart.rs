//! Bodies of the type `multipart/form-data` (RFC 7578), as browsers write them.

/// One part: a field, or a file if it has a file name.
#[derive(Debug, Clone, Copy)]
pub struct FormPart<'a> {
    /// The field's name.
    pub name: &'a str,
    /// The name the file is sent under.
    pub filename: Option<&'a str>,
    /// The part's type; a file without one is `application/octet-stream`.
    pub content_type: Option<&'a str>,
    /// The content.
    pub data: &'a [u8],
}

/// Why a part cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MultipartError {
    /// The content type would break the part's head.
    #[error("the content type of the part \"{name}\" has a control character: remove it")]
    ContentType {
        /// The part's name, escaped.
        name: String,
    },
}

/// A multipart body, ready to be written.
#[derive(Debug)]
pub struct Multipart<'a> {
    parts: &'a [FormPart<'a>],
    boundary: String,
}

impl<'a> Multipart<'a> {
    /// Chooses a boundary that occurs in no part. The same parts always get
    /// the same one.
    ///
    /// # Errors
    /// If a content type has control characters.
    pub fn new(parts: &'a [FormPart<'a>]) -> Result<Self, MultipartError> {
        for part in parts {
            let content_type = part.content_type.unwrap_or_default();
            if content_type.bytes().any(|b| b.is_ascii_control()) {
                return Err(MultipartError::ContentType {
                    name: part.name.escape_default().to_string(),
                });
            }
        }
        Ok(Self {
            parts,
            boundary: free_boundary(parts),
        })
    }

    /// The value of the request's `Content-Type`.
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    /// Appends the body.
    pub fn write(&self, out: &mut Vec<u8>) {
        const PART_HEAD_BYTES: usize = 160;
        let size: usize = self
            .parts
            .iter()
            .map(|p| p.data.len() + PART_HEAD_BYTES)
            .sum();
        out.reserve(size + PART_HEAD_BYTES);
        for part in self.parts {
            for piece in [
                "--",
                &self.boundary,
                "\r\nContent-Disposition: form-data; name=",
            ] {
                out.extend_from_slice(piece.as_bytes());
            }
            quote(out, part.name);
            if let Some(filename) = part.filename {
                out.extend_from_slice(b"; filename=");
                quote(out, filename);
            }
            let for_file = part.filename.map(|_| "application/octet-stream");
            if let Some(content_type) = part.content_type.or(for_file) {
                out.extend_from_slice(b"\r\nContent-Type: ");
                out.extend_from_slice(content_type.as_bytes());
            }
            out.extend_from_slice(b"\r\n\r\n");
            out.extend_from_slice(part.data);
            out.extend_from_slice(b"\r\n");
        }
        for piece in ["--", &self.boundary, "--\r\n"] {
            out.extend_from_slice(piece.as_bytes());
        }
    }
}

/// Quotes a name as WHATWG HTML (multipart/form-data encoding algorithm) says:
/// percent escapes for the quote and line ends, all else as it is.
fn quote(out: &mut Vec<u8>, name: &str) {
    out.push(b'"');
    for byte in name.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"%22"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'\n' => out.extend_from_slice(b"%0A"),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

fn free_boundary(parts: &[FormPart<'_>]) -> String {
    let mut number = 0u64;
    loop {
        let boundary = boundary(number);
        let finder = memchr::memmem::Finder::new(&boundary);
        if parts.iter().all(|part| finder.find(part.data).is_none()) {
            return boundary;
        }
        number += 1;
    }
}

/// Candidates that share no long prefix, so that they are told apart quickly.
fn boundary(number: u64) -> String {
    // An odd factor (2^64 divided by the golden ratio) makes it one to one.
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("----PlimsollForm{mixed:016x}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn body(parts: &[FormPart<'_>]) -> (String, Vec<u8>) {
        let multipart = Multipart::new(parts).unwrap();
        let mut out = Vec::new();
        multipart.write(&mut out);
        (multipart.content_type(), out)
    }

    const FIELD: FormPart<'_> = FormPart {
        name: "a",
        filename: None,
        content_type: None,
        data: b"1",
    };

    #[test]
    fn fields_and_files_look_as_browsers_write_them() {
        let file = FormPart {
            name: "up\"load\r\n",
            filename: Some("图 \\\".png"),
            content_type: Some("image/png"),
            data: b"\x89PNG\r\n",
        };
        let untyped = FormPart {
            filename: Some(""),
            ..FIELD
        };
        let (content_type, out) = body(&[FIELD, file, untyped]);
        let b = content_type
            .strip_prefix("multipart/form-data; boundary=")
            .unwrap();
        let expected = [
            format!("--{b}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n").as_bytes(),
            format!(
                "--{b}\r\nContent-Disposition: form-data; name=\"up%22load%0D%0A\"; \
                 filename=\"图 \\%22.png\"\r\nContent-Type: image/png\r\n\r\n"
            )
            .as_bytes(),
            b"\x89PNG\r\n\r\n",
            format!(
                "--{b}\r\nContent-Disposition: form-data; name=\"a\"; filename=\"\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n1\r\n--{b}--\r\n"
            )
            .as_bytes(),
        ]
        .concat();
        assert_eq!(
            out.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    #[test]
    fn no_parts_is_still_a_body() {
        let (content_type, out) = body(&[]);
        let boundary = content_type.rsplit('=').next().unwrap();
        assert_eq!(out, format!("--{boundary}--\r\n").as_bytes());
    }

    #[test]
    fn the_boundary_does_not_occur_in_the_data() {
        let taken: String = (0..50).map(boundary).collect();
        let parts = [FormPart {
            data: taken.as_bytes(),
            ..FIELD
        }];
        let (content_type, _) = body(&parts);
        assert!(content_type.ends_with(&boundary(50)));
        assert!(!taken.contains(&boundary(50)));
    }

    #[test]
    fn a_content_type_cannot_add_headers() {
        let parts = [FormPart {
            content_type: Some("a/b\r\nX: y"),
            ..FIELD
        }];
        assert!(
            Multipart::new(&parts)
                .unwrap_err()
                .to_string()
                .contains("part \"a\"")
        );
    }
}
