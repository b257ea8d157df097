//! Clients: where they connect from, the certificate they have shown, and the key that quotas count them by.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::ca::certificate::{Certificate, puppet_extensions};
use crate::ca::oids;
use crate::socket::Socket;

/// The client at the other end of a connection.
#[derive(Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The listener that it is connected to.
    pub listener: Listener,
    /// The certificate that was shown and verified.
    pub certificate: Option<Certificate>,
    /// The name in it.
    pub name: Option<String>,
    /// Puppet's extensions in it, by name where they have one.
    pub extensions: Vec<(String, String)>,
    /// The connection.
    pub socket: Option<Socket>,
}

/// The listeners of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// Clients show certificates when they connect.
    Tls,
    /// Nobody is identified by the connection; a proxy may identify its clients by headers.
    Plain,
}

/// The identity that quotas count by: the certificate of a client, or the address of one that has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClientKey {
    /// Clients without a certificate; of an IPv6 address the first 64 bits, which is what one customer gets.
    Address(IpAddr),
    /// Clients with the certificate of this name.
    Node(String),
}

impl ClientKey {
    /// The key of an address.
    pub fn of_address(address: IpAddr) -> ClientKey {
        ClientKey::Address(match address.to_canonical() {
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 => v4,
        })
    }
}

impl Peer {
    /// A client with or without a certificate.
    pub fn new(address: SocketAddr, listener: Listener, certificate: Option<Certificate>) -> Peer {
        let name = certificate.as_ref().and_then(Certificate::common_name);
        let extensions = certificate.as_ref().map(Certificate::extensions).unwrap_or_default();
        let named = |oid| oids::short_name(oid).map_or_else(|| oid.to_string(), str::to_owned);
        let extensions =
            puppet_extensions(extensions).into_iter().map(|(oid, text)| (named(oid), text)).collect();
        Peer { address, listener, certificate, name, extensions, socket: None }
    }

    /// The same client at the other end of a connection.
    #[must_use]
    pub fn on(mut self, socket: Option<Socket>) -> Peer {
        self.socket = socket;
        self
    }

    /// Whether nobody waits for an answer any more.
    pub fn is_gone(&self) -> bool {
        self.socket.as_ref().is_some_and(Socket::is_abandoned)
    }

    /// The value of an extension.
    pub fn extension(&self, name: &str) -> Option<&str> {
        self.extensions.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The key that quotas count the client by.
    pub fn key(&self) -> ClientKey {
        match &self.name {
            Some(name) => ClientKey::Node(name.clone()),
            None => ClientKey::of_address(self.address.ip()),
        }
    }
}
