//! The Access Log sampler: each line of a server's log is a request (JMeter 5.6.3,
//! `AccessLogSampler`), which Java's own client makes.

use std::io::{self, BufRead, BufReader, Read as _, Seek as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use plimsoll_access::Access;
use plimsoll_elements::Fields;
use plimsoll_elements::access_log::{LoggedRequest, Method, is_native, read};
use plimsoll_elements::fields::Field;
use plimsoll_plan::program::{ElementProgram, Package, Program, SiteId, Template};
use plimsoll_text::Message;

use super::sampler::HttpSampler;
use super::settings::Setting;
use crate::needs::Needs;

/// An Access Log sampler, bound.
#[derive(Debug)]
pub struct AccessLog {
    pub(super) site: SiteId,
    pub(super) file: Field,
    pub(super) filtered: bool,
    /// All of its requests but what a line says.
    pub(super) sampler: HttpSampler,
}

/// Where a user is in its log.
#[derive(Default)]
pub(super) struct LogReading {
    lines: Option<Box<dyn BufRead>>,
    /// How its line asked.
    pub(super) method: Method,
    /// The sample before had a line.
    pub(super) had_line: bool,
}

/// Whether an element is such a sampler, and native.
#[must_use]
pub fn is_access_log(element: &ElementProgram) -> bool {
    let fields = Fields(element);
    let fixed = |name: &str| match element.text(name).map(Template::as_text) {
        None => Some(""),
        Some(text) => text,
    };
    fields.0.class == "AccessLogSampler"
        && fixed("parserClassName")
            .zip(fixed("filterClassName"))
            .is_some_and(|(parser, filter)| is_native(parser, filter))
}

impl AccessLog {
    /// Binds the sampler of a package.
    ///
    /// # Errors
    /// What is wrong with its properties.
    pub fn bind(program: &Program, package: &Package, needs: Needs) -> Result<Self, Message> {
        let mut sampler = HttpSampler::bind(program, package, needs)?;
        let element = package.sampler.map(|id| &program.elements[id.0 as usize]);
        let fields = element.map(|element| Fields(element));
        let field = |name: &str| fields.map(|it| it.field(name)).unwrap_or_default();
        let settings = &mut sampler.settings;
        // A bean's own values are set last, also over those of defaults.
        settings.domain = Setting::of(field("domain"));
        settings.port = Setting::of(field("portString"));
        settings.protocol = Setting::of(field("protocol"));
        settings.embedded = Setting::of(field("imageParsing"));
        settings.implementation = Setting::fixed("Java");
        sampler.is_simple = settings.embedded.is_empty();
        sampler.reads_body = !settings.embedded.is_empty() || !settings.md5.is_empty();
        (sampler.target, sampler.entity, sampler.may_read_files) = (None, None, false);
        Ok(Self {
            site: element.map_or(SiteId(0), |element| element.site),
            file: field("logFile"),
            filtered: field("filterClassName")
                .fixed()
                .is_none_or(|it| !it.trim().is_empty()),
            sampler,
        })
    }
}

impl LogReading {
    /// What the next line asks for; none: the log is at its end, and would begin anew.
    pub(super) fn next(
        &mut self,
        file: &str,
        access: &Access,
    ) -> io::Result<Option<LoggedRequest>> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            none => none.insert(open(file, access)?),
        };
        let mut line = Vec::new();
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                self.lines = None;
                return Ok(None);
            }
            while line
                .last()
                .is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
            {
                line.pop();
            }
            if !line.is_empty() {
                self.had_line = true;
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(read(&line, &mut self.method)));
            }
        }
    }
}

/// Opens a log, which may be packed.
fn open(path: &str, access: &Access) -> io::Result<Box<dyn BufRead>> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    let mut file = access.open(Path::new(path))?;
    let mut start = Vec::new();
    file.by_ref().take(2).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(match start == GZIP {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(BufReader::new(file)),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn logs_are_read_line_by_line_and_may_be_packed() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"\n\"GET /a HTTP/1.1\" 200\r\n\n\"POST /b?c=1 HTTP/1.1\" 200";
        let plain = folder.path().join("plain");
        std::fs::write(&plain, text).unwrap();
        let packed = folder.path().join("packed");
        let mut encoder = flate2::write::GzEncoder::new(
            std::fs::File::create(&packed).unwrap(),
            Default::default(),
        );
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap();
        let access = Access::of_user();
        for file in [plain, packed] {
            let mut reading = LogReading::default();
            // A log begins anew after its end.
            for _ in 0..2 {
                let mut paths = Vec::new();
                while let Some(asked) = reading.next(file.to_str().unwrap(), &access).unwrap() {
                    paths.push(format!("{} {}", reading.method.name(), asked.path));
                }
                assert_eq!(paths, ["GET /a", "POST /b"]);
            }
        }
        assert!(
            LogReading::default()
                .next("/nowhere/at/all", &access)
                .is_err()
        );
    }
}
