//! The options of curl that a plan can say, and those that mean nothing to it.

/// What an option of curl does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Method,
    Header,
    Data,
    DataRaw,
    DataBinary,
    DataUrlencode,
    Json,
    Form,
    FormString,
    User,
    Digest,
    Basic,
    Bearer,
    Insecure,
    Cookie,
    Agent,
    Referer,
    Compressed,
    Location,
    MaxRedirects,
    Proxy,
    MaxTime,
    ConnectTimeout,
    CaCert,
    Cert,
    Key,
    Get,
    Head,
    UnixSocket,
    Resolve,
    Upload,
    Url,
    NoKeepAlive,
    Interface,
    /// Only about curl's own output and behaviour: left out in silence.
    Ignored,
}

/// An option.
#[derive(Debug)]
pub(super) struct Flag {
    pub short: Option<char>,
    pub long: &'static str,
    pub takes_value: bool,
    pub meaning: Meaning,
}

const fn with_value(short: Option<char>, long: &'static str, meaning: Meaning) -> Flag {
    Flag {
        short,
        long,
        takes_value: true,
        meaning,
    }
}

const fn switch(short: Option<char>, long: &'static str, meaning: Meaning) -> Flag {
    Flag {
        short,
        long,
        takes_value: false,
        meaning,
    }
}

/// Every option that is known, one a line.
pub(super) const FLAGS: &[Flag] = &[
    with_value(Some('X'), "request", Meaning::Method),
    with_value(Some('H'), "header", Meaning::Header),
    with_value(Some('d'), "data", Meaning::Data),
    with_value(None, "data-ascii", Meaning::Data),
    with_value(None, "data-raw", Meaning::DataRaw),
    with_value(None, "data-binary", Meaning::DataBinary),
    with_value(None, "data-urlencode", Meaning::DataUrlencode),
    with_value(None, "json", Meaning::Json),
    with_value(Some('F'), "form", Meaning::Form),
    with_value(None, "form-string", Meaning::FormString),
    with_value(Some('u'), "user", Meaning::User),
    switch(None, "digest", Meaning::Digest),
    switch(None, "basic", Meaning::Basic),
    with_value(None, "oauth2-bearer", Meaning::Bearer),
    switch(Some('k'), "insecure", Meaning::Insecure),
    with_value(Some('b'), "cookie", Meaning::Cookie),
    with_value(Some('A'), "user-agent", Meaning::Agent),
    with_value(Some('e'), "referer", Meaning::Referer),
    switch(None, "compressed", Meaning::Compressed),
    switch(Some('L'), "location", Meaning::Location),
    with_value(None, "max-redirs", Meaning::MaxRedirects),
    with_value(Some('x'), "proxy", Meaning::Proxy),
    with_value(Some('m'), "max-time", Meaning::MaxTime),
    with_value(None, "connect-timeout", Meaning::ConnectTimeout),
    with_value(None, "cacert", Meaning::CaCert),
    with_value(Some('E'), "cert", Meaning::Cert),
    with_value(None, "key", Meaning::Key),
    switch(Some('G'), "get", Meaning::Get),
    switch(Some('I'), "head", Meaning::Head),
    with_value(None, "unix-socket", Meaning::UnixSocket),
    with_value(None, "resolve", Meaning::Resolve),
    with_value(Some('T'), "upload-file", Meaning::Upload),
    with_value(None, "url", Meaning::Url),
    switch(None, "no-keepalive", Meaning::NoKeepAlive),
    with_value(None, "interface", Meaning::Interface),
    switch(Some('s'), "silent", Meaning::Ignored),
    switch(Some('S'), "show-error", Meaning::Ignored),
    switch(Some('v'), "verbose", Meaning::Ignored),
    switch(Some('i'), "include", Meaning::Ignored),
    switch(None, "show-headers", Meaning::Ignored),
    switch(Some('f'), "fail", Meaning::Ignored),
    switch(None, "fail-with-body", Meaning::Ignored),
    switch(Some('#'), "progress-bar", Meaning::Ignored),
    switch(None, "no-progress-meter", Meaning::Ignored),
    switch(Some('N'), "no-buffer", Meaning::Ignored),
    switch(Some('O'), "remote-name", Meaning::Ignored),
    switch(Some('g'), "globoff", Meaning::Ignored),
    switch(None, "http1.1", Meaning::Ignored),
    switch(None, "tcp-nodelay", Meaning::Ignored),
    with_value(Some('o'), "output", Meaning::Ignored),
    with_value(Some('D'), "dump-header", Meaning::Ignored),
    with_value(Some('c'), "cookie-jar", Meaning::Ignored),
    with_value(Some('w'), "write-out", Meaning::Ignored),
    with_value(None, "stderr", Meaning::Ignored),
    with_value(None, "trace", Meaning::Ignored),
    with_value(None, "trace-ascii", Meaning::Ignored),
];
