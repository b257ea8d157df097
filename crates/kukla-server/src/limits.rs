//! The limits of a server: how much of it one client, one request and one kind of work can take.

use std::time::Duration;

use kukla::syntax::Problem;

use crate::puppetserver_conf::PuppetserverConf;

/// The limits of a server. Tests pass smaller ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the largest request.
    pub request: usize,
    /// The bytes of all requests that are being received or answered.
    pub requests: usize,
    /// The bytes of all requests of one certificate.
    pub requests_per_node: usize,
    /// The bytes of all requests of one address without certificates.
    pub requests_per_address: usize,
    /// Open connections.
    pub connections: usize,
    /// Open connections of one certificate.
    pub connections_per_node: usize,
    /// Open connections of one address without certificates.
    pub connections_per_address: usize,
    /// The bytes per second that a client has to send or accept at least.
    pub rate: u64,
    /// How long a client may send or accept nothing.
    pub stall: Duration,
    /// How long a request may take to arrive.
    pub arrival: Duration,
    /// How long a request waits for memory or a free thread.
    pub wait: Duration,
    /// How long a catalog waits for a free thread.
    pub catalog_wait: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            request: 16 << 20,
            requests: 128 << 20,
            requests_per_node: 32 << 20,
            requests_per_address: 2 << 20,
            connections: 10_000,
            connections_per_node: 256,
            connections_per_address: 1_000,
            rate: 4 << 10,
            stall: Duration::from_secs(10),
            arrival: Duration::from_secs(60),
            wait: Duration::from_secs(30),
            catalog_wait: Duration::from_secs(120),
        }
    }
}

impl Limits {
    /// The names of the settings in the section `limits`, each a number.
    pub const NAMES: [&'static str; 12] = [
        "request-bytes",
        "all-requests-bytes",
        "requests-bytes-per-node",
        "requests-bytes-per-address",
        "connections",
        "connections-per-node",
        "connections-per-address",
        "bytes-per-second",
        "stall-seconds",
        "arrival-seconds",
        "wait-seconds",
        "catalog-wait-seconds",
    ];

    /// Reads the section `limits`.
    pub fn read(server: &PuppetserverConf) -> Result<Limits, Problem> {
        let mut limits = Limits::default();
        for name in Limits::NAMES {
            let Some(text) = server.text("limits", name) else { continue };
            let number = text.parse::<u32>().ok().filter(|number| *number > 0).ok_or_else(|| {
                Problem::invalid(format!("invalid {name}"))
                    .on(format_args!("'{text}'"))
                    .because("expected a number from 1 to 4294967295")
            })?;
            limits.set(name, number);
        }
        Ok(limits)
    }

    fn set(&mut self, name: &str, number: u32) {
        let (count, seconds) = (number as usize, Duration::from_secs(number.into()));
        match name {
            "request-bytes" => self.request = count,
            "all-requests-bytes" => self.requests = count,
            "requests-bytes-per-node" => self.requests_per_node = count,
            "requests-bytes-per-address" => self.requests_per_address = count,
            "connections" => self.connections = count,
            "connections-per-node" => self.connections_per_node = count,
            "connections-per-address" => self.connections_per_address = count,
            "bytes-per-second" => self.rate = number.into(),
            "stall-seconds" => self.stall = seconds,
            "arrival-seconds" => self.arrival = seconds,
            "wait-seconds" => self.wait = seconds,
            _ => self.catalog_wait = seconds,
        }
    }
}
