//! Reading lock files, which may come from branches that nobody trusts.

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use toml::{Table, Value};

use super::{Lock, LockedModule, Origin};
use crate::digest::Digest;
use crate::git::is_commit;
use crate::metadata::Dependency;
use crate::puppetfile::{is_inside, split_title};

pub fn lock(path: &Path, text: &str) -> Result<Lock, Problem> {
    let invalid = |why: String| {
        Problem::invalid("invalid lock file")
            .on(path.display())
            .because(why)
            .help("write it again with `kukla mod lock`")
    };
    if text.lines().any(|line| matches!(line.trim_end(), "FORGE" | "GIT" | "PATH")) {
        return Err(Problem::invalid("cannot read")
            .on(path.display())
            .because("it is a lock file of librarian-puppet")
            .help("remove it, then write one with `kukla mod lock`"));
    }
    let table: Table = text.parse().map_err(|error: toml::de::Error| invalid(error.message().to_owned()))?;
    match table.get("version").and_then(Value::as_integer) {
        Some(1) => {}
        Some(version) => {
            return Err(invalid(format!("it has version {version}, and this Kukla reads version 1")));
        }
        None => return Err(invalid("it has no version".to_owned())),
    }
    let forge = table.get("forge").and_then(Value::as_str).unwrap_or_default().to_owned();
    let empty = Vec::new();
    let rows = table.get("module").and_then(Value::as_array).unwrap_or(&empty);
    let modules = rows.iter().map(|row| {
        let row = row.as_table().ok_or_else(|| "expected a table for `module`".to_owned())?;
        module(row)
    });
    let modules = modules.collect::<Result<Vec<_>, String>>().map_err(invalid)?;
    Ok(Lock { forge, modules })
}

fn module(row: &Table) -> Result<LockedModule, String> {
    let title = text(row, "name")?;
    let of_module = |why: String| format!("{why} of the module '{title}'");
    let optional = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| text(row, key).map_err(of_module);
    let digest = |key: &str| {
        let text = optional(key);
        text.map(|text| Digest::parse(&text).map_err(|_| of_module(format!("invalid digest `{key}`"))))
            .transpose()
    };
    let (_, name) = split_title(&title).ok_or_else(|| format!("invalid name of a module: '{title}'"))?;
    let directory = PathBuf::from(required("directory")?);
    if !is_inside(&directory) {
        return Err(of_module(format!("invalid directory '{}'", directory.display())));
    }
    let version = optional("version");
    let origin = match &*required("source")? {
        "forge" => Origin::Forge { version: required("version")? },
        "git" => {
            let commit = required("commit")?;
            if !is_commit(&commit) {
                return Err(of_module(format!("invalid commit '{commit}'")));
            }
            Origin::Git { url: required("url")?, reference: required("reference")?, commit }
        }
        "tarball" => Origin::Tarball { url: required("url")? },
        "local" => Origin::Local,
        other => return Err(of_module(format!("unknown source '{other}'"))),
    };
    let dependencies = row.get("dependencies").and_then(Value::as_array);
    let dependencies = dependencies.into_iter().flatten().filter_map(Value::as_str);
    Ok(LockedModule {
        name: name.to_owned(),
        directory,
        keep_spec: row.get("spec").and_then(Value::as_bool).unwrap_or_default(),
        origin,
        version,
        archive: digest("archive")?,
        content: digest("content")?,
        declared: optional("declared"),
        dependencies: dependencies.map(Dependency::parse).collect(),
        title,
    })
}

fn text(row: &Table, key: &str) -> Result<String, String> {
    row.get(key)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| format!("expected a string for `{key}`"))
}
