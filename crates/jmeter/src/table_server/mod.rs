//! The HTTP Simple Table Server of jmeter-plugins: lists of lines that users take from and add to by HTTP
//! requests of the plan itself.
//!
//! In a test without a window the plugin's element does nothing (jmeter-plugins-table-server 5.0,
//! `HttpSimpleTableControl`): its server is started by the properties `jmeterPlugin.sts.loadAndRunOnStartup` and
//! `jmeterPlugin.sts.port`, which a script that comes with it looks at. Here the properties are enough. It listens on
//! this host alone, where the plugin's listens to all: whoever reaches it may write files into its folder.

mod request;
mod tables;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plimsoll_access::Access;
use plimsoll_text::Message;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::java_map::in_map_order;
use request::{NoRequest, TableRequest, next_request};
use tables::{TableSettings, Tables};

/// Connections at a time; more wait.
const CONNECTIONS: usize = 4_096;
/// How long a connection may rest.
const REST: Duration = Duration::from_secs(60);
const METHODS: [&str; 6] = ["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS"];
/// The address that it listens on, if not this host alone: a property of ours, which the plugin does not know.
const LISTEN: &str = "jmeterPlugin.sts.listen";

/// The server, while the run lasts.
pub(crate) struct TableServer {
    ended: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

/// What all connections share.
struct Served {
    tables: Mutex<Tables>,
    encoding: String,
    ended: Arc<Notify>,
}

impl TableServer {
    /// Starts it, if the properties ask for it. `folder` is where relative folders begin, `plan_folder` where files
    /// lie if no folder is named.
    ///
    /// # Errors
    /// When the address cannot be had or is none.
    pub fn start(
        property: &dyn Fn(&str) -> Option<String>,
        access: &Access,
        (folder, plan_folder): (&Path, &Path),
    ) -> Result<Option<Self>, Message> {
        let text = |name: &str| property(&format!("jmeterPlugin.sts.{name}"));
        let is_true = |name: &str, default: bool| {
            text(name).map_or(default, |text| text.trim().eq_ignore_ascii_case("true"))
        };
        let port = text("port").and_then(|text| text.trim().parse::<u16>().ok());
        let Some(port) = port.filter(|port| *port > 0) else {
            return Ok(None);
        };
        if !is_true("loadAndRunOnStartup", false) {
            return Ok(None);
        }
        let host = property(LISTEN);
        let failed = |reason: String| {
            let shown = host.as_deref().unwrap_or("127.0.0.1");
            Message::new("jmeter-table-server")
                .with("address", format!("{shown}:{port}"))
                .with("reason", reason)
        };
        let ip = match host.as_deref().map(str::parse::<IpAddr>) {
            None => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(Ok(ip)) => ip,
            Some(Err(error)) => return Err(failed(error.to_string())),
        };
        let data = text("datasetDirectory").filter(|named| !named.is_empty());
        let utf_8 = || "UTF-8".to_owned();
        let default_encoding = || property("sampleresult.default.encoding");
        let encoding = text("charsetEncodingHttpResponse").or_else(default_encoding);
        let settings = TableSettings {
            folder: data.map_or(plan_folder.to_owned(), |named| folder.join(named)),
            timestamp: is_true("addTimestamp", true),
            read_encoding: text("charsetEncodingReadFile").unwrap_or_else(utf_8),
            write_encoding: text("charsetEncodingWriteFile").unwrap_or_else(utf_8),
            response_encoding: encoding.unwrap_or_else(utf_8),
            port,
            first_files: text("initFileAtStartup").unwrap_or_default(),
            first_is_pattern: is_true("initFileAtStartupRegex", false),
        };
        let started = Self::listen(SocketAddr::new(ip, port), settings, access);
        started.map(Some).map_err(|error| failed(error.to_string()))
    }

    fn listen(address: SocketAddr, settings: TableSettings, access: &Access) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let ended = Arc::new(Notify::new());
        let encoding = settings.response_encoding.clone();
        let mut tables = Tables::new(settings, access.clone(), seed());
        tables.read_first();
        let served = Arc::new(Served {
            tables: Mutex::new(tables),
            encoding,
            ended: Arc::clone(&ended),
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new()
            .name("table-server".to_owned())
            .spawn(move || runtime.block_on(serve(listener, served)))?;
        Ok(Self {
            ended,
            thread: Some(thread),
        })
    }
}

impl Drop for TableServer {
    fn drop(&mut self) {
        self.ended.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

/// The plugin's server draws by the time, too.
fn seed() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| {
        i64::try_from(now.as_nanos() & 0xFFFF_FFFF_FFFF).unwrap_or(0)
    })
}

/// Serves until it is ended; what is open is closed then.
async fn serve(listener: std::net::TcpListener, served: Arc<Served>) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        tokio::select! {
            () = served.ended.notified() => return,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, Arc::clone(&served)));
                }
                // Out of descriptors: some will end.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            },
            _ = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn connection(mut stream: TcpStream, served: Arc<Served>) {
    // Responses are small, and each is waited for.
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    loop {
        let next = next_request(&mut stream, &mut buffer);
        let request = match tokio::time::timeout(REST, next).await {
            Ok(Ok(request)) => request,
            Ok(Err(NoRequest::Bad(status, why))) => {
                let response = format!(
                    "HTTP/1.1 {status} \r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{why}",
                    why.len()
                );
                let _ = stream.write_all(response.as_bytes()).await;
                return;
            }
            Ok(Err(NoRequest::Ended)) | Err(_) => return,
        };
        if request.path == "/sts/STOP" {
            served.ended.notify_one();
            return;
        }
        let response = served.response(&request);
        if stream.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

impl Served {
    /// The response as the plugin writes it, with its two types of content.
    fn response(&self, request: &TableRequest) -> String {
        let body = self.body(request);
        let date = jiff::Timestamp::now().strftime("%a, %-d %b %Y %H:%M:%S GMT");
        let kind = format!("text/html; charset={}", self.encoding);
        let headers = vec![
            ("Cache-Control", "no-cache, no-store, must-revalidate"),
            ("Pragma", "no-cache"),
            ("Expires", "0"),
            ("Content-Type", &kind),
        ];
        let headers = in_map_order(headers, |(name, _)| name);
        let headers = headers.iter();
        let headers: String = headers
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let shown = if request.method == "HEAD" { "" } else { &body };
        format!(
            "HTTP/1.1 200 OK \r\nContent-Type: text/html\r\nDate: {date}\r\n{headers}Connection: keep-alive\r\nContent-Length: {}\r\n\r\n{shown}",
            body.len()
        )
    }

    fn body(&self, request: &TableRequest) -> String {
        const UNKNOWN: &str =
            "<html><title>KO</title>\n<body>Error : unknown command !</body>\n</html>";
        if !METHODS.contains(&&*request.method) {
            return UNKNOWN.to_owned();
        }
        let Some(command) = request.path.strip_prefix("/sts") else {
            return UNKNOWN.to_owned();
        };
        if command.is_empty() || command == "/" {
            return HELP.to_owned();
        }
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let command = command.strip_prefix('/').unwrap_or_default();
        let page = tables.command(command, &request.params);
        page.unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

/// What `/sts` shows.
const HELP: &str = "<html><head><title>Simple Table Server</title></head>
<body><pre>
INITFILE?FILENAME=
READ?FILENAME=[&amp;READ_MODE=FIRST|LAST|RANDOM][&amp;KEEP=TRUE|FALSE]
READMULTI?FILENAME=&amp;NB_LINES=[&amp;READ_MODE=][&amp;KEEP=]
FIND?FILENAME=&amp;LINE=[&amp;FIND_MODE=SUBSTRING|EQUALS|REGEX_FIND|REGEX_MATCH][&amp;KEEP=]
ADD?FILENAME=&amp;LINE=[&amp;ADD_MODE=FIRST|LAST][&amp;UNIQUE=TRUE|FALSE]
LENGTH?FILENAME=
STATUS
SAVE?FILENAME=[&amp;ADD_TIMESTAMP=true|false]
RESET?FILENAME=
CONFIG
STOP
</pre></body></html>
";

#[cfg(test)]
mod tests;
