//! Native samplers other than HTTP, bound once for the run. One file a class, one line in [`bind`].

pub(crate) mod child;
pub(crate) mod debug;
mod defaults;
pub(crate) mod dummy;
pub(crate) mod http_raw;
pub(crate) mod java_test;
pub(crate) mod parallel;
pub(crate) mod process;
pub(crate) mod set_variables;
pub(crate) mod tcp;
pub(crate) mod tcp_client;
pub(crate) mod tcp_status;
pub(crate) mod websocket;

use plimsoll_elements::{Fields, Properties};
use plimsoll_plan::program::ElementProgram;

use defaults::FieldSources;

/// A native sampler, bound.
pub enum Native {
    /// JMeter's own Java samplers, `JavaTest` and `SleepTest`.
    Java(java_test::JavaSampler),
    /// Shows variables and properties.
    Debug(debug::DebugSampler),
    /// The plugin's Dummy Sampler.
    Dummy(dummy::DummySampler),
    /// The plugins' Set Variables Action.
    SetVariables(set_variables::SetVariables),
    /// The Parallel Controller, as the sampler that it is.
    Parallel(parallel::ParallelParent),
    /// A program of the system.
    Process(process::ProcessSampler),
    /// A text over TCP, and its response.
    Tcp(tcp::TcpSampler),
    /// The plugins' HTTP Raw Request.
    HttpRaw(http_raw::HttpRawSampler),
    /// The WebSocket samplers of eu.luminis.
    WebSocket(websocket::WebSocketSampler),
}

/// What these samplers keep for a user.
#[derive(Default)]
pub struct KeptBySamplers {
    pub(crate) sockets: Vec<tcp::KeptSocket>,
    /// Connections of raw requests.
    pub(crate) raw: Vec<http_raw::KeptRaw>,
    /// The connection of the WebSocket samplers.
    pub(crate) websocket: Option<Box<websocket::KeptWebSocket>>,
    /// Programs that were asked to end; they are killed with their user.
    pub(crate) processes: Vec<child::Child>,
}

/// The sampler that starts processes.
pub(super) const PROCESS: &str = "SystemSampler";

/// Binds an element with its configuration, the nearest first, if its class (and what it is to
/// run) is native.
#[must_use]
pub fn bind(
    element: &ElementProgram,
    configs: &[&ElementProgram],
    properties: &Properties,
) -> Option<Native> {
    let fields = Fields(element);
    let sources = |forms: &[&str]| FieldSources::new(fields, configs, forms);
    Some(match element.class.as_str() {
        "JavaSampler" => Native::Java(java_test::JavaSampler::bind(fields)?),
        "DebugSampler" => Native::Debug(debug::DebugSampler::bind(fields)),
        "DummySampler" | "kg.apc.jmeter.samplers.DummySampler" => {
            Native::Dummy(dummy::DummySampler::bind(fields))
        }
        "kg.apc.jmeter.control.sampler.SetVariablesAction" => {
            Native::SetVariables(set_variables::SetVariables::bind(fields))
        }
        parallel::CLASS => Native::Parallel(parallel::ParallelParent::bind(fields)),
        PROCESS => Native::Process(process::ProcessSampler::bind(&sources(&[
            "SimpleConfigGui",
        ]))),
        "TCPSampler" => Native::Tcp(tcp::TcpSampler::bind(&sources(&tcp::FORMS), properties)?),
        http_raw::CLASS => Native::HttpRaw(http_raw::HttpRawSampler::bind(fields, properties)),
        class if class.starts_with(websocket::PACKAGE) => Native::WebSocket(
            websocket::WebSocketSampler::bind(fields, configs, properties)?,
        ),
        _ => return None,
    })
}
