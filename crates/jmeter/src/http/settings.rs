//! The settings of an HTTP sampler, merged with its configuration as JMeter merges them:
//! what the sampler leaves empty comes from the nearest defaults that have it; the arguments
//! and files of all follow each other (JMeter 5.6.3, `AbstractTestElement.addProperty`).

use std::borrow::Cow;

use plimsoll_elements::fields::Field;
use plimsoll_elements::{Context, Fault, Fields};

/// A setting: the first that is not empty counts.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    fields: Vec<Field>,
}

impl Setting {
    /// The setting of this name among elements, the nearest first.
    #[must_use]
    pub fn bind(sources: &[Fields<'_>], name: &str) -> Self {
        let mut fields = Vec::new();
        for field in sources.iter().map(|source| source.field(name)) {
            match field.fixed() {
                Some("") => {}
                Some(_) => {
                    fields.push(field);
                    break;
                }
                None => fields.push(field),
            }
        }
        Self { fields }
    }

    /// The setting of one field.
    #[must_use]
    pub fn of(field: Field) -> Self {
        let fields = if field.fixed() == Some("") {
            Vec::new()
        } else {
            vec![field]
        };
        Self { fields }
    }

    /// A setting that never changes.
    #[must_use]
    pub fn fixed(text: &str) -> Self {
        Self {
            fields: vec![plimsoll_plan::program::Template::text(text).into()],
        }
    }

    /// Its text; empty when nobody has it.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn text<'s>(&'s self, by: &mut Eval<'_>) -> Result<Cow<'s, str>, Fault> {
        for field in &self.fields {
            let text = by.text(field)?;
            if !text.is_empty() {
                return Ok(text);
            }
        }
        Ok(Cow::Borrowed(""))
    }

    /// Whether its text is `true`.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn truth(&self, by: &mut Eval<'_>) -> Result<bool, Fault> {
        Ok(self.text(by)?.eq_ignore_ascii_case("true"))
    }

    /// Its text as a whole number; `default` when it is none.
    ///
    /// # Errors
    /// As [`Context::text`].
    pub fn whole(&self, by: &mut Eval<'_>, default: i64) -> Result<i64, Fault> {
        Ok(self.text(by)?.trim().parse().unwrap_or(default))
    }

    /// Whether nobody has it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

/// How texts are evaluated: for a user, or before the run, when only those that never change
/// have a value.
pub struct Eval<'c>(pub Option<&'c mut dyn Context>);

impl Eval<'_> {
    /// A field's text.
    ///
    /// # Errors
    /// As [`Context::text`]; before the run, when it may change.
    pub fn text<'f>(&mut self, field: &'f Field) -> Result<Cow<'f, str>, Fault> {
        if let Some(fixed) = field.fixed() {
            return Ok(Cow::Borrowed(fixed));
        }
        match &mut self.0 {
            Some(context) => field.text(&mut **context),
            None => Err(Fault::new("not known before the run")),
        }
    }
}

/// An argument.
#[derive(Debug, Clone)]
pub struct HttpArgument {
    /// Its name.
    pub name: Field,
    /// Its value.
    pub value: Field,
    /// What stands between them in a query.
    pub metadata: Field,
    /// Whether both are encoded.
    pub encode: Field,
    /// Arguments that are not HTTP's own are always encoded.
    pub always: bool,
    /// Its content type in a multipart body.
    pub content_type: Field,
}

/// A file to be sent.
#[derive(Debug, Clone)]
pub struct FileArgument {
    /// Where it is.
    pub path: Field,
    /// The parameter's name.
    pub name: Field,
    /// Its content type.
    pub mime: Field,
}

/// All settings.
#[derive(Debug, Clone, Default)]
pub struct SamplerSettings {
    /// `HTTPSampler.implementation`.
    pub implementation: Setting,
    /// `HTTPSampler.method`.
    pub method: Setting,
    /// `HTTPSampler.protocol`.
    pub protocol: Setting,
    /// `HTTPSampler.domain`.
    pub domain: Setting,
    /// `HTTPSampler.port`.
    pub port: Setting,
    /// `HTTPSampler.path`.
    pub path: Setting,
    /// `HTTPSampler.contentEncoding`.
    pub encoding: Setting,
    /// `HTTPSampler.follow_redirects`.
    pub follow: Setting,
    /// `HTTPSampler.auto_redirects`.
    pub auto: Setting,
    /// `HTTPSampler.use_keepalive`.
    pub keep_alive: Setting,
    /// `HTTPSampler.DO_MULTIPART_POST`.
    pub multipart: Setting,
    /// `HTTPSampler.BROWSER_COMPATIBLE_MULTIPART`.
    pub browser_multipart: Setting,
    /// `HTTPSampler.postBodyRaw`.
    pub raw: Setting,
    /// `HTTPSampler.connect_timeout`, ms.
    pub connect_timeout: Setting,
    /// `HTTPSampler.response_timeout`, ms.
    pub response_timeout: Setting,
    /// `HTTPSampler.image_parser`.
    pub embedded: Setting,
    /// `HTTPSampler.embedded_url_re`.
    pub embedded_allow: Setting,
    /// `HTTPSampler.embedded_url_exclude_re`.
    pub embedded_exclude: Setting,
    /// `HTTPSampler.concurrentDwn`.
    pub parallel: Setting,
    /// `HTTPSampler.concurrentPool`.
    pub pool: Setting,
    /// `HTTPSampler.md5`.
    pub md5: Setting,
    /// `HTTPSampler.ipSource`.
    pub source: Setting,
    /// `HTTPSampler.ipSourceType`.
    pub source_type: Setting,
    /// `HTTPSampler.proxyHost`.
    pub proxy_host: Setting,
    /// `HTTPSampler.proxyPort`.
    pub proxy_port: Setting,
    /// `HTTPSampler.proxyUser`.
    pub proxy_user: Setting,
    /// `HTTPSampler.proxyPass`.
    pub proxy_pass: Setting,
    /// Arguments.
    pub arguments: Vec<HttpArgument>,
    /// Files.
    pub files: Vec<FileArgument>,
}

impl SamplerSettings {
    /// Merges the elements, the sampler first.
    #[must_use]
    pub fn bind(sources: &[Fields<'_>]) -> Self {
        let setting = |name: &str| Setting::bind(sources, &format!("HTTPSampler.{name}"));
        Self {
            implementation: setting("implementation"),
            method: setting("method"),
            protocol: setting("protocol"),
            domain: setting("domain"),
            port: setting("port"),
            path: setting("path"),
            encoding: setting("contentEncoding"),
            follow: setting("follow_redirects"),
            auto: setting("auto_redirects"),
            keep_alive: setting("use_keepalive"),
            multipart: setting("DO_MULTIPART_POST"),
            browser_multipart: setting("BROWSER_COMPATIBLE_MULTIPART"),
            raw: setting("postBodyRaw"),
            connect_timeout: setting("connect_timeout"),
            response_timeout: setting("response_timeout"),
            embedded: setting("image_parser"),
            embedded_allow: setting("embedded_url_re"),
            embedded_exclude: setting("embedded_url_exclude_re"),
            parallel: setting("concurrentDwn"),
            pool: setting("concurrentPool"),
            md5: setting("md5"),
            source: setting("ipSource"),
            source_type: setting("ipSourceType"),
            proxy_host: setting("proxyHost"),
            proxy_port: setting("proxyPort"),
            proxy_user: setting("proxyUser"),
            proxy_pass: setting("proxyPass"),
            arguments: sources
                .iter()
                .flat_map(|source| arguments(*source))
                .collect(),
            files: sources.iter().flat_map(|source| files(*source)).collect(),
        }
    }
}

fn arguments(source: Fields<'_>) -> Vec<HttpArgument> {
    let Some(list) = source.element("HTTPsampler.Arguments") else {
        return Vec::new();
    };
    let argument = |fields: Fields<'_>| HttpArgument {
        name: fields.field("Argument.name"),
        value: fields.field("Argument.value"),
        metadata: fields.field("Argument.metadata"),
        encode: fields.field("HTTPArgument.always_encode"),
        always: fields.0.class == "Argument",
        content_type: fields.field("HTTPArgument.content_type"),
    };
    let elements = list.elements("Arguments.arguments");
    elements.into_iter().map(argument).collect()
}

/// The files of the list. JMeter passes over the one file that samplers had before 2.4
/// (`HTTPSampler.FILE_NAME`).
fn files(source: Fields<'_>) -> Vec<FileArgument> {
    let list = source.element("HTTPsampler.Files");
    let elements = list.map(|list| list.elements("HTTPFileArgs.files"));
    let file = |fields: Fields<'_>| FileArgument {
        path: fields.field("File.path"),
        name: fields.field("File.paramname"),
        mime: fields.field("File.mimetype"),
    };
    elements.unwrap_or_default().into_iter().map(file).collect()
}
