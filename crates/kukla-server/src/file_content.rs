//! The contents of files: those of mounts as they are, those of static catalogs as they were.

use std::time::Duration;

use hyper::StatusCode;
use kukla::syntax::Problem;

use crate::answer::{Answer, Content, Issue, OCTETS};
use crate::call::Call;
use crate::command;
use crate::environments::{is_code_id, is_name};
use crate::mounts::MountedFiles;
use crate::protected::ProtectedFiles;
use crate::server::Server;

/// Answers with a file.
pub fn answer(key: &str, found: Result<Option<MountedFiles>, Problem>, protected: &ProtectedFiles) -> Answer {
    let missing = || Answer::error(Issue::NotFound, format!("Could not find file_content {key}"));
    match found {
        Err(problem) => Answer::error(Issue::Runtime, &problem),
        Ok(Some(MountedFiles::One(path))) => {
            protected.open(&path).and_then(Answer::file).unwrap_or_else(|_| missing())
        }
        Ok(_) => missing(),
    }
}

/// Answers with a file of a version of the code: a command prints it, or it is in the store of modules that environments are deployed from.
pub fn versioned(server: &Server, call: &Call, path: &str) -> Answer {
    let refused = |text: &str| Answer::refused(StatusCode::BAD_REQUEST, text);
    let (Some(environment), Some(code_id)) = (call.parameter("environment"), call.parameter("code_id"))
    else {
        return refused(
            "Error: A /static_file_content request requires an environment, a code-id, and a file-path",
        );
    };
    if !is_name(environment) {
        return refused(&format!("The environment must be purely alphanumeric, not '{environment}'"));
    }
    if !is_served(path) {
        return Answer::refused(
            StatusCode::FORBIDDEN,
            "Request Denied: A /static_file_content request must be a file within the files, lib, scripts, or tasks directory of a module.".to_owned(),
        );
    }
    // A version can be the name of a file.
    if !is_code_id(code_id) || code_id.starts_with('.') {
        return refused("Error: the code-id has characters that no code-id has");
    }
    let Some(command) = server.settings.versioned.content.as_deref() else {
        if let Some(content) = deployed(server, environment, code_id, path) {
            return Answer {
                content: Content::Bytes(content.into()),
                ..Answer::empty(StatusCode::OK, OCTETS)
            };
        }
        return Answer::refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Internal Server Error: Cannot retrieve code content because the \"versioned-code.code-content-command\" setting is not present in configuration.",
        );
    };
    match command::run(command, &[environment, code_id, path], Vec::new(), Duration::from_secs(60)) {
        Ok(output) if output.code == Some(0) => {
            Answer { content: Content::Bytes(output.stdout.into()), ..Answer::empty(StatusCode::OK, OCTETS) }
        }
        Ok(output) => {
            let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let code = output.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
            Answer::refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("Internal Server Error: the code content command ended with {code}"),
            )
            .note("error", complaint)
        }
        Err(problem) => Answer::refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Internal Server Error: the code content command cannot be run",
        )
        .note("error", problem.to_string()),
    }
}

/// The content of a file of an environment that this process can have deployed.
fn deployed(server: &Server, environment: &str, code_id: &str, path: &str) -> Option<Vec<u8>> {
    let deployer = server.settings.deployer.as_ref()?;
    deployer.content(
        server.settings.webhook.as_ref(),
        &server.environments.get(environment)?.root,
        code_id,
        path,
    )
}

/// Whether a path of an environment is one that modules serve: `*/MODULE/files/**` and its like.
fn is_served(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        [_, _, directory, ref rest @ ..] => {
            ["files", "lib", "scripts", "tasks"].contains(&directory)
                && !rest.is_empty()
                && parts.iter().all(|part| !matches!(*part, "" | "." | ".."))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_modules_serve() {
        assert!(is_served("modules/ntp/files/a/b") && is_served("site/x/lib/y.rb"));
        for path in [
            "modules/ntp/manifests/init.pp",
            "hiera.yaml",
            "modules/ntp/files",
            "modules/ntp/files/",
            "modules/ntp/files/../x",
            "data/a/b",
        ] {
            assert!(!is_served(path), "{path}");
        }
    }
}
