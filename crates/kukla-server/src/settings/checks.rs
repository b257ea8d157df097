//! Checks of settings: every name exists, and so does every file that a setting names.

use std::path::Path;

use kukla::Value;
use kukla::conf::Conf;
use kukla::config_schema::{check_setting, near_setting};
use kukla::eval::settings::Settings as PuppetSettings;
use kukla::syntax::{Problem, ProblemKind};

use super::Settings;
use crate::ca::autosign::Autosign;
use crate::log;

/// The sections of `puppet.conf` that a server reads.
const SECTIONS: [&str; 3] = ["server", "master", "main"];

/// Checks the names of settings on the command line and in `puppet.conf`. Puppet ignores settings that it does not know, so in the file only
/// one that is almost the name of another is an error; the others are logged.
pub(super) fn check_names(confdir: &Path, overrides: &[(String, String)]) -> Result<(), Problem> {
    for (name, _) in overrides {
        check_setting(name)?;
    }
    let file = confdir.join("puppet.conf");
    let bytes = crate::files::read_if_there(&file)?.unwrap_or_default();
    // Text that cannot be parsed is reported by the reader of the file.
    let Ok(conf) = Conf::parse(&String::from_utf8_lossy(&bytes)) else { return Ok(()) };
    let invalid = |cause: Problem| Problem::invalid("invalid").on(file.display()).caused_by(cause);
    let defaults = PuppetSettings::default().all;
    for (name, value) in SECTIONS.iter().flat_map(|section| conf.section(section)) {
        if let Err(problem) = check_setting(name) {
            match near_setting(name) {
                Some(_) => return Err(invalid(problem)),
                None => log::warning(&format!("{problem} in {}; it is ignored", file.display())),
            }
        }
        let is_flag = matches!(defaults.get(name), Some(Value::Boolean(_)));
        let is_valid = value.is_empty()
            || value.contains('$')
            || matches!(value.to_lowercase().as_str(), "true" | "false");
        if is_flag && !is_valid {
            let problem = Problem::invalid(format!("invalid {name}")).on(format_args!("'{value}'"));
            return Err(invalid(problem.because("expected true or false")));
        }
    }
    Ok(())
}

impl Settings {
    /// Checks that the webhook can deploy.
    pub(super) fn check_webhook(&self) -> Result<(), Problem> {
        let Some(webhook) = &self.webhook else { return Ok(()) };
        let checked = match &self.deployer {
            Some(deployer) => deployer.check(webhook),
            None => Err(Problem::new(ProblemKind::Unavailable, "this build of Kukla cannot deploy")),
        };
        checked.map_err(|problem| Problem::invalid("invalid webhook in kukla.toml").caused_by(problem))
    }

    /// Checks that the files and commands that settings name exist; defaults need not.
    pub(super) fn check_files(&self) -> Result<(), Problem> {
        let missing = |setting: &str, path: &Path| {
            Problem::not_found(format!("{setting} not found"))
                .on(path.display())
                .help(format!("correct the path, or remove the setting `{setting}`"))
        };
        let command =
            |setting: &str, text: Option<&str>| match text.and_then(|text| text.split_whitespace().next()) {
                Some(program) if !Path::new(program).exists() => Err(missing(setting, Path::new(program))),
                _ => Ok(()),
            };
        command("external_nodes", self.classifier.as_deref())?;
        command("code-id-command", self.versioned.code_id.as_deref())?;
        command("code-content-command", self.versioned.content.as_deref())?;
        if let Some(path) = self.trusted_external.as_deref().filter(|path| !path.exists()) {
            return Err(missing("trusted_external_command", path));
        }
        if self.puppet.value("fileserverconfig").is_some() && !self.mounts.exists() {
            return Err(missing("fileserverconfig", &self.mounts));
        }
        if let Some((_, practice)) = &self.authority
            && let Autosign::File(path) = &practice.autosign
            && self.puppet.value("autosign").is_some()
            && !path.exists()
        {
            return Err(missing("autosign", path));
        }
        Ok(())
    }
}
