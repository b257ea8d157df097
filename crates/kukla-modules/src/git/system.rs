//! Requests with the system's `git`, which knows the keys, agents and credential helpers of its user.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use kukla_syntax::{Problem, ProblemKind};

use super::references::{References, RemoteReference};
use crate::network::{Network, SshKeys, without_password};

/// Lists the references of a server.
pub fn list(network: &Network, url: &str) -> Result<References, Problem> {
    let mut command = git(network, url);
    command.args(["ls-remote", "--", url]);
    let text = run(command, url)?;
    let mut references = References::default();
    for line in text.lines() {
        let Some((commit, name)) = line.split_once('\t') else { continue };
        let commit = commit.to_owned();
        match name.strip_suffix("^{}") {
            // A tag comes first, then the commit that it names.
            Some(tag) => {
                references.all.retain(|known| known.name != tag);
                references.all.push(RemoteReference { name: tag.to_owned(), commit });
            }
            None if name == "HEAD" => references.head = Some(commit),
            None => references.all.push(RemoteReference { name: name.to_owned(), commit }),
        }
    }
    references.all.retain(|reference| reference.branch().is_some() || reference.tag().is_some());
    references.all.sort();
    Ok(references)
}

/// Fetches into a bare repository, which is created.
pub fn fetch(
    network: &Network,
    url: &str,
    directory: &Path,
    specs: &[&str],
    is_shallow: bool,
) -> Result<(), Problem> {
    if !directory.exists() {
        gix::init_bare(directory)
            .map_err(|error| Problem::other("cannot create").on(directory.display()).because(error))?;
    }
    let mut command = git(network, url);
    command.arg("--git-dir").arg(directory).args(["fetch", "--quiet", "--no-tags", "--force"]);
    if is_shallow {
        command.arg("--depth=1");
    }
    command.arg("--").arg(url).args(specs);
    run(command, url).map(drop)
}

fn git(network: &Network, url: &str) -> Command {
    let options = network.options();
    let seconds = options.patience.as_secs().max(1);
    let mut command = Command::new("git");
    // Other commands and helpers of the user's git stay as they are; what it must not do is wait for a person.
    command.env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
    let (named, key) = (std::env::var("GIT_SSH_COMMAND").ok(), ssh_options(&options.ssh_keys, url));
    if named.is_none() && std::env::var_os("GIT_SSH").is_none() || !key.is_empty() {
        let ssh = named.unwrap_or_else(|| format!("ssh -o BatchMode=yes -o ConnectTimeout={seconds}"));
        command.env("GIT_SSH_COMMAND", format!("{ssh}{key}"));
    }
    if let Some(proxy) = &options.proxy {
        for variable in ["http_proxy", "https_proxy"] {
            command.env(variable, proxy);
        }
    }
    if let Some(authorities) = &options.authorities {
        command.env("GIT_SSL_CAINFO", authorities);
    }
    let low_speed = format!("http.lowSpeedTime={seconds}");
    command.args(["-c", "protocol.ext.allow=never", "-c", "http.lowSpeedLimit=1", "-c", &low_speed]);
    command
}

/// The options of `ssh` for the key and the user of a repository.
fn ssh_options(keys: &SshKeys, url: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let mut options = String::new();
    if let Some(key) = keys.of(url) {
        options += &format!(" -i {} -o IdentitiesOnly=yes", quoted(&key.to_string_lossy()));
    }
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let names_user = rest.split('/').next().is_some_and(|host| host.contains('@'));
    if let Some(user) = keys.user.as_ref().filter(|_| !names_user) {
        options += &format!(" -o {}", quoted(&format!("User={user}")));
    }
    options
}

fn run(mut command: Command, url: &str) -> Result<String, Problem> {
    let failed = |kind| Problem::new(kind, "cannot fetch").on(without_password(url));
    let output = command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(ProblemKind::NotFound)
            .because("it needs the command `git`, which is not installed")
            .help("install git, or use an https URL that needs no credentials"),
        _ => failed(ProblemKind::Other).because(error),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let reason = errors.lines().find(|line| line.starts_with("fatal:")).or_else(|| errors.lines().last());
    let reason = reason.unwrap_or("git failed").trim_start_matches("fatal: ").to_owned();
    let kind = match () {
        () if errors.contains("Authentication failed")
            || errors.contains("Permission denied")
            || errors.contains("could not read Username") =>
        {
            ProblemKind::Denied
        }
        () if errors.contains("not found") => ProblemKind::NotFound,
        () if errors.contains("timed out") || errors.contains("Timeout") => ProblemKind::TimedOut,
        () => ProblemKind::Other,
    };
    Err(failed(kind).because(without_password(&reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_users_become_options() {
        let keys = SshKeys {
            default: Some("/keys/it's".into()),
            repositories: vec![("git@example.com:a.git".to_owned(), "/keys/a".into())],
            user: Some("deploy".to_owned()),
        };
        assert_eq!(ssh_options(&keys, "git@example.com:a.git"), " -i '/keys/a' -o IdentitiesOnly=yes");
        assert_eq!(
            ssh_options(&keys, "ssh://example.com/b@c.git"),
            r" -i '/keys/it'\''s' -o IdentitiesOnly=yes -o 'User=deploy'"
        );
        assert_eq!(ssh_options(&SshKeys::default(), "git@example.com:a.git"), "");
    }
}
