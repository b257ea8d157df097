//! Notifications to systemd, if the server runs under it.

use std::os::unix::net::UnixDatagram;

/// Tells systemd something (`READY=1`, `RELOADING=1`, `STOPPING=1`); without it, nothing happens.
pub fn notify(state: &str) {
    let Some(path) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let sent = UnixDatagram::unbound().and_then(|socket| {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::ffi::OsStrExt;
        let bytes = path.as_bytes();
        let address = match bytes.strip_prefix(b"@") {
            Some(name) => std::os::unix::net::SocketAddr::from_abstract_name(name)?,
            None => std::os::unix::net::SocketAddr::from_pathname(&path)?,
        };
        socket.send_to_addr(state.as_bytes(), &address)
    });
    if let Err(error) = sent {
        crate::log::warning(&format!("cannot notify systemd: {error}"));
    }
}

/// The present of the monotonic clock, which systemd wants to know when a service reloads.
pub fn monotonic() -> Option<String> {
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    Some(format!("MONOTONIC_USEC={}", (seconds * 1e6) as u64))
}
