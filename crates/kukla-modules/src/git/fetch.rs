//! Requests to git servers: with `gix` over HTTP, else with the system's `git`.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::bstr::BString;
use gix::protocol::handshake::Ref;
use gix::remote::{Connection, Direction, fetch::Shallow};
use gix_transport::client::blocking_io::http::Transport;
use gix_transport::{Protocol, client::AuthenticationRequired};
use kukla_syntax::{Problem, ProblemKind, contain};

use super::http::GitHttp;
use super::references::{References, RemoteReference};
use super::system;
use crate::network::{Network, without_password};

/// Lists the references of a server.
pub fn list(network: &Network, url: &str, directory: &Path) -> Result<References, Problem> {
    if !is_http(url) {
        return system::list(network, url);
    }
    let specs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+HEAD:refs/kukla/HEAD"];
    let listed = with_connection(network, url, directory, &specs, |connection| {
        let (map, _) = connection.ref_map(gix::progress::Discard, options())?;
        Ok(map.remote_refs.iter().filter_map(reference).collect::<Vec<_>>())
    });
    let mut all = match listed {
        Err(problem) if problem.kind() == ProblemKind::Denied => return system::list(network, url),
        listed => listed?,
    };
    let head = all.iter().position(|reference| reference.name == "HEAD").map(|at| all.remove(at).commit);
    all.retain(|reference| reference.branch().is_some() || reference.tag().is_some());
    all.sort();
    Ok(References { head, all })
}

/// Fetches into a bare repository, which is created; without history if `is_shallow`.
pub fn fetch(
    network: &Network,
    url: &str,
    directory: &Path,
    specs: &[&str],
    is_shallow: bool,
) -> Result<(), Problem> {
    if !is_http(url) {
        return system::fetch(network, url, directory, specs, is_shallow);
    }
    let fetched = with_connection(network, url, directory, specs, |connection| {
        let depth = NonZeroU32::MIN;
        let shallow = if is_shallow { Shallow::DepthAtRemote(depth) } else { Shallow::NoChange };
        let prepared = connection.prepare_fetch(gix::progress::Discard, options())?.with_shallow(shallow);
        prepared.receive(gix::progress::Discard, &AtomicBool::new(false)).map(drop)
    });
    match fetched {
        Err(problem) if problem.kind() == ProblemKind::Denied => {
            system::fetch(network, url, directory, specs, is_shallow)
        }
        fetched => fetched,
    }
}

fn is_http(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn options() -> gix::remote::ref_map::Options {
    gix::remote::ref_map::Options::default()
}

/// The name and the commit of a reference; tags lead to what they tag.
fn reference(reference: &Ref) -> Option<RemoteReference> {
    let (name, target, peeled) = reference.unpack();
    let commit = peeled.or(target)?.to_string();
    Some(RemoteReference { name: name.to_string(), commit })
}

fn with_connection<T>(
    network: &Network,
    url: &str,
    directory: &Path,
    specs: &[&str],
    run: impl FnOnce(Connection<'_, 'static, '_, Transport<GitHttp>>) -> gix::Result<T>,
) -> Result<T, Problem> {
    let agent = network.agent()?.clone();
    let connected = contain(|| {
        let repository = match directory.exists() {
            true => gix::open::Options::isolated().open(directory).map(|found| found.to_thread_local())?,
            false => gix::init_bare(directory)?,
        };
        let mut repository = repository;
        // Where the user has no identity, entries of reference logs would fail.
        let _ = repository.committer_or_set_generic_fallback();
        let specs: Vec<BString> = specs.iter().map(|spec| BString::from(*spec)).collect();
        let remote = repository
            .remote_at_without_url_rewrite(url)?
            .with_fetch_tags(gix::remote::fetch::Tags::None)
            .with_refspecs(specs.iter().map(AsRef::<gix::bstr::BStr>::as_ref), Direction::Fetch)?;
        let (address, _) = remote.sanitized_url_and_version(Direction::Fetch)?;
        let transport = Transport::new_http(GitHttp { agent }, address, Protocol::V2, false);
        run(remote.to_connection_with_transport(transport))
    });
    match connected {
        Ok(result) => result.map_err(|error| problem(url, &error)),
        Err(panic) => Err(failed(ProblemKind::Other, url).because(panic)),
    }
}

fn failed(kind: ProblemKind, url: &str) -> Problem {
    Problem::new(kind, "cannot fetch").on(without_password(url))
}

/// The problem of a failed request. A server that asks for credentials is left to the system's `git`.
fn problem(url: &str, error: &gix::Error) -> Problem {
    let mut reasons: Vec<String> = Vec::new();
    let mut kind = ProblemKind::Other;
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        let reason = error.to_string();
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            kind = match error.kind() {
                std::io::ErrorKind::PermissionDenied => ProblemKind::Denied,
                std::io::ErrorKind::TimedOut => ProblemKind::TimedOut,
                std::io::ErrorKind::NotFound => ProblemKind::NotFound,
                std::io::ErrorKind::ConnectionAborted
                | std::io::ErrorKind::ConnectionReset
                | std::io::ErrorKind::UnexpectedEof
                | std::io::ErrorKind::BrokenPipe => ProblemKind::Unavailable,
                std::io::ErrorKind::StorageFull => ProblemKind::LimitExceeded,
                _ => kind,
            };
        }
        if error.is::<AuthenticationRequired>() {
            kind = ProblemKind::Denied;
        }
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
        next = error.source();
    }
    failed(kind, url).because(reasons.join(": "))
}
