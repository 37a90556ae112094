//! The addresses of network devices.

use std::ffi::CStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses of the device of this name, in the system's order; none: there is no such
/// device, or it has none.
#[must_use]
pub fn addresses(device: &str) -> Vec<IpAddr> {
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: `list` is a valid place for the list's head; it is freed below.
    if unsafe { libc::getifaddrs(&raw mut list) } != 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut entry = list;
    while !entry.is_null() {
        // SAFETY: `entry` is a node of the list that the system made and that is not freed yet;
        // its name is a C string.
        let (name, address) = unsafe { (CStr::from_ptr((*entry).ifa_name), (*entry).ifa_addr) };
        if name.to_bytes() == device.as_bytes() {
            // SAFETY: `address` is null or belongs to the same list.
            found.extend(unsafe { address_of(address) });
        }
        // SAFETY: as above.
        entry = unsafe { (*entry).ifa_next };
    }
    // SAFETY: `list` came from getifaddrs and is freed once.
    unsafe { libc::freeifaddrs(list) };
    found
}

/// # Safety
/// `address` is null or points to a socket address of the size that its family says.
unsafe fn address_of(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: not null, and by the caller's word a socket address.
    match i32::from(unsafe { (*address).sa_family }) {
        libc::AF_INET => {
            // SAFETY: the family says that it is this.
            let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: the family says that it is this.
            let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(Ipv6Addr::from(v6.sin6_addr.s6_addr).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_device_has_loopback_addresses() {
        let found = addresses("lo");
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
        assert!(addresses("no-such-device").is_empty());
    }
}
