//! Who and where: `__threadNum`, `__threadGroupName`, `__samplerName`, `__TestPlanName`,
//! `__machineIP`, `__machineName`.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::LazyLock;

use plimsoll_plan::program::Call;

use super::args::save;
use crate::context::{Context, Fault};

/// `__threadNum()`: what stands behind the last `-` of the thread's name.
#[expect(clippy::unnecessary_wraps)] // The signature of all functions.
pub(super) fn thread_number(_: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = cx.thread().name;
    let number = name.rsplit_once('-').map_or(&*name, |(_, number)| number);
    Ok(number.to_owned())
}

/// `__threadGroupName()`.
#[expect(clippy::unnecessary_wraps)] // The signature of all functions.
pub(super) fn group_name(_: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    Ok(cx.thread().group.to_string())
}

/// `__samplerName([variable])`.
pub(super) fn sampler_name(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    let name = cx
        .sampler_name()
        .map_or(String::new(), |name| name.to_string());
    save(call, 0, &name, cx)?;
    Ok(name)
}

/// `__TestPlanName()`: the plan's file name.
#[expect(clippy::unnecessary_wraps)] // The signature of all functions.
pub(super) fn plan_name(_: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    Ok(cx.thread().plan_file.to_string())
}

/// `__machineIP([variable])`: the address that this host's own name resolves to.
pub(super) fn machine_ip(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    save(call, 0, &HOST.1, cx)?;
    Ok(HOST.1.clone())
}

/// `__machineName([variable])`.
pub(super) fn machine_name(call: &Call, cx: &mut dyn Context) -> Result<String, Fault> {
    save(call, 0, &HOST.0, cx)?;
    Ok(HOST.0.clone())
}

/// This host's name and address. Resolved once: a look-up may take a while.
static HOST: LazyLock<(String, String)> = LazyLock::new(|| {
    let uname = rustix::system::uname();
    let name = uname.nodename().to_string_lossy().into_owned();
    let addresses: Vec<IpAddr> = (name.as_str(), 0)
        .to_socket_addrs()
        .map(|found| found.map(|address| address.ip()).collect())
        .unwrap_or_default();
    // Java prefers IPv4.
    let address = addresses.iter().find(|address| address.is_ipv4());
    match address.or(addresses.first()) {
        Some(address) => (name, address.to_string()),
        None => ("localhost".to_owned(), "127.0.0.1".to_owned()),
    }
});

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use crate::context::testing::TestContext;
    use crate::functions::testing::run;

    #[test]
    fn a_thread_has_a_number_and_a_group() {
        let mut cx = TestContext::with(&[]);
        cx.thread.name = "my-group 1-17".into();
        cx.thread.group = "my-group".into();
        cx.thread.plan_file = "plan.jmx".into();
        assert_eq!(run("__threadNum", &[], &mut cx), "17");
        assert_eq!(run("__threadGroupName", &[], &mut cx), "my-group");
        assert_eq!(run("__TestPlanName", &[], &mut cx), "plan.jmx");
        cx.thread.name = "single".into();
        assert_eq!(run("__threadNum", &[], &mut cx), "single");
    }

    #[test]
    fn a_sampler_has_a_name() {
        let mut cx = TestContext::with(&[]);
        assert_eq!(run("__samplerName", &[], &mut cx), "");
        cx.sampler = Some("home page".into());
        assert_eq!(run("__samplerName", &["v"], &mut cx), "home page");
        assert_eq!(*cx.vars["v"], *"home page");
    }

    #[test]
    fn a_machine_has_a_name_and_an_address() {
        let mut cx = TestContext::with(&[]);
        let address = run("__machineIP", &["ip"], &mut cx);
        assert!(address.parse::<std::net::IpAddr>().is_ok(), "{address}");
        assert_eq!(*cx.vars["ip"], *address);
        assert!(!run("__machineName", &[" name "], &mut cx).is_empty());
        assert!(cx.vars.contains_key("name"));
    }
}
