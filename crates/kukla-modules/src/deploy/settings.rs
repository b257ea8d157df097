//! The settings of a deployment, as r10k.yaml or the configuration of g10k has them.
//!
//! The tools share most names. Where g10k has a name of its own (`forge_base_url`), both are understood in every file.

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use kukla_values::Value;
use kukla_values::regexp::Regexp;

use super::ignored::note_ignored;
use super::name::{Invalid, Naming, Strip};
use super::table::{SettingsFile, Table};
use crate::network::SshKeys;

/// The places where r10k looks for its settings.
pub const DEFAULT_FILES: [&str; 3] = ["r10k.yaml", "/etc/puppetlabs/r10k/r10k.yaml", "/etc/r10k.yaml"];

/// The settings of a deployment.
#[derive(Clone, Debug)]
pub struct DeploySettings {
    /// The sources of environments.
    pub sources: Vec<SourceSettings>,
    /// The command that runs after a deployment.
    pub postrun: Vec<String>,
    /// The levels at which content is removed.
    pub purge: PurgeLevels,
    /// Patterns of paths in environments that are never removed.
    pub purge_allowlist: Vec<String>,
    /// Patterns of names of environments that are never removed.
    pub deployment_purge_allowlist: Vec<String>,
    /// The reason why nothing may be deployed.
    pub write_lock: Option<String>,
    /// The branch of modules that name none.
    pub default_ref: Option<String>,
    /// Whether modules are installed without their directory `spec`.
    pub exclude_spec: bool,
    /// The Forge.
    pub forge: ForgeSettings,
    /// The proxy of all connections.
    pub proxy: Option<String>,
    /// The keys of git repositories.
    pub ssh_keys: SshKeys,
    /// Remarks on settings that have no effect.
    pub notes: Vec<String>,
}

/// The Forge of a deployment.
#[derive(Clone, Debug, Default)]
pub struct ForgeSettings {
    /// Its URL, if it is not the public one.
    pub url: Option<String>,
    /// Its key.
    pub key: Option<String>,
    /// Whether Puppetfiles may name another one.
    pub allow_override: bool,
}

/// The unmanaged content that a deployment removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurgeLevels {
    /// Environments whose branch is gone.
    pub deployment: bool,
    /// Files in environments that are not in the repository.
    pub environment: bool,
    /// Modules that are not in the Puppetfile.
    pub puppetfile: bool,
}

impl Default for PurgeLevels {
    fn default() -> PurgeLevels {
        PurgeLevels { deployment: true, environment: false, puppetfile: true }
    }
}

/// A source of environments.
#[derive(Clone, Debug)]
pub struct SourceSettings {
    /// Its name.
    pub name: String,
    /// The directory of its environments.
    pub basedir: PathBuf,
    /// How names of branches become names of environments.
    pub naming: Naming,
    /// The name of Puppetfiles.
    pub puppetfile: String,
    /// Whether modules of the Forge must have an exact version (g10k).
    pub exact_versions: bool,
    /// Where the environments come from.
    pub kind: SourceKind,
    /// The file and line, for errors.
    pub position: String,
}

/// The place that lists the environments of a source.
#[derive(Clone, Debug)]
pub enum SourceKind {
    /// The branches of a git repository.
    Git(BranchSettings),
    /// A list in YAML.
    Listed(Vec<ListedEnvironment>),
}

/// The branches of a git repository.
#[derive(Clone, Debug)]
pub struct BranchSettings {
    /// The URL.
    pub remote: String,
    /// Branches that begin with one of these are ignored.
    pub ignored_prefixes: Vec<String>,
    /// Only branches that match are environments (g10k).
    pub filter: Option<String>,
    /// The command that decides whether a branch is an environment.
    pub filter_command: Option<String>,
}

/// An environment of a list.
#[derive(Clone, Debug)]
pub struct ListedEnvironment {
    /// Its name before prefixes.
    pub name: String,
    /// The repository and the branch, tag or commit; none for an environment that has only modules.
    pub repository: Option<(String, Option<String>)>,
    /// The directory of modules.
    pub moduledir: Option<String>,
    /// Modules besides those of the Puppetfile, as declarations of a Puppetfile.
    pub modules: String,
    /// The treatment of modules that are in both.
    pub conflicts: Conflicts,
}

/// The treatment of a module that an environment and its Puppetfile both declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflicts {
    /// The environment's is used.
    Override,
    /// The environment's is used, and the other one reported.
    Warn,
    /// It is an error.
    Error,
}

const GLOBAL: &[&str] = &[
    "sources",
    "purgedirs",
    "cachedir",
    "postrun",
    "pool_size",
    "proxy",
    "forge",
    "git",
    "deploy",
    "logging",
    "tarball",
    // Those of g10k:
    "timeout",
    "ignore_unreachable_modules",
    "maxworker",
    "maxextractworker",
    "use_cache_fallback",
    "retry_git_commands",
    "git_object_syntax_not_supported",
    "purge_levels",
    "purge_allowlist",
    "deployment_purge_allowlist",
    "write_lock",
    "generate_types",
    "puppet_path",
    "purge_skiplist",
    "clone_git_modules",
    "forge_base_url",
    "forge_cache_ttl",
];
const DEPLOY: &[&str] = &[
    "write_lock",
    "purge_levels",
    "purge_allowlist",
    "purge_whitelist",
    "generate_types",
    "puppet_path",
    "puppet_conf",
    "exclude_spec",
    "deployment_purge_allowlist",
    "purge_skiplist",
];
const GIT: &[&str] = &[
    "default_ref",
    "provider",
    "username",
    "private_key",
    "oauth_token",
    "proxy",
    "repositories",
    "github_app_id",
    "github_app_key",
    "github_app_ttl",
];
const REPOSITORY: &[&str] =
    &["remote", "private_key", "oauth_token", "proxy", "github_app_id", "github_app_key", "github_app_ttl"];
const FORGE: &[&str] = &["baseurl", "authorization_token", "allow_puppetfile_override", "proxy"];
const SOURCE: &[&str] = &[
    "remote",
    "basedir",
    "prefix",
    "type",
    "invalid_branches",
    "ignore_branch_prefixes",
    "filter_command",
    "strip_component",
    "puppetfile_name",
    "config",
    "environments",
    // Those of g10k:
    "private_key",
    "force_forge_versions",
    "warn_if_branch_is_missing",
    "error_if_branch_is_missing",
    "exit_if_unreachable",
    "filter_regex",
];
const ENVIRONMENT: &[&str] = &[
    "type",
    "remote",
    "source",
    "ref",
    "version",
    "modules",
    "moduledir",
    "module_conflicts",
    "puppetfile_name",
];

impl DeploySettings {
    /// Reads the settings in a file.
    pub fn read(path: &Path) -> Result<DeploySettings, Problem> {
        DeploySettings::parse(path, &read_file(path)?)
    }

    /// Reads the text of the file at a path.
    pub fn parse(path: &Path, text: &[u8]) -> Result<DeploySettings, Problem> {
        let file = SettingsFile::parse(path, text)?;
        let table = file.table()?;
        let mut notes = Vec::new();
        table.note_unknown(GLOBAL, &mut notes);
        let deploy = table.inner("deploy")?;
        if let Some(deploy) = &deploy {
            deploy.note_unknown(DEPLOY, &mut notes);
        }
        // g10k has the settings of `deploy` at the top as well; those in it count more.
        let places: Vec<Table<'_>> = deploy.into_iter().chain([table.clone()]).collect();
        let place = |name: &str| places.iter().find(|place| place.get(name).is_some()).unwrap_or(&places[0]);
        if place("generate_types").flag("generate_types", false)? {
            let position = place("generate_types").position("generate_types");
            notes.push(format!(
                "{position}: 'generate_types' is ignored: Kukla needs no generated types; a Puppet server does, so run `puppet generate types` in postrun there"
            ));
        }
        let mut allowlist = place("purge_allowlist").list("purge_allowlist", true)?.unwrap_or_default();
        for old in ["purge_whitelist", "purge_skiplist"] {
            allowlist.extend(place(old).list(old, true)?.unwrap_or_default());
        }
        let base = path.parent().unwrap_or(Path::new("."));
        let git = table.inner("git")?;
        if let Some(git) = &git {
            git.note_unknown(GIT, &mut notes);
        }
        note_ignored("", &table, &mut notes);
        Ok(DeploySettings {
            sources: sources(&table, base, &mut notes)?,
            postrun: table.list("postrun", false)?.unwrap_or_default(),
            purge: purge_levels(place("purge_levels"))?,
            purge_allowlist: allowlist,
            deployment_purge_allowlist: place("deployment_purge_allowlist")
                .list("deployment_purge_allowlist", true)?
                .unwrap_or_default(),
            write_lock: place("write_lock").text("write_lock")?.filter(|reason| !reason.is_empty()),
            default_ref: git.as_ref().map(|git| git.text("default_ref")).transpose()?.flatten(),
            exclude_spec: place("exclude_spec").flag("exclude_spec", true)?,
            forge: forge(&table, &mut notes)?,
            proxy: table.text("proxy")?,
            ssh_keys: ssh_keys(&table, git.as_ref(), base, &mut notes)?,
            notes,
        })
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path).map_err(|error| Problem::io("read", path, &error))
}

/// The keys of r10k's `git` and of g10k's sources.
fn ssh_keys(
    table: &Table<'_>,
    git: Option<&Table<'_>>,
    base: &Path,
    notes: &mut Vec<String>,
) -> Result<SshKeys, Problem> {
    let key = |table: &Table<'_>| Ok::<_, Problem>(table.text("private_key")?.map(|path| base.join(path)));
    let mut keys = SshKeys::default();
    if let Some(git) = git {
        note_ignored("git", git, notes);
        keys.default = key(git)?;
        keys.user = git.text("username")?;
        for repository in git.tables("repositories")? {
            repository.note_unknown(REPOSITORY, notes);
            note_ignored("git", &repository, notes);
            let remote = repository.required("remote")?;
            keys.repositories.extend(key(&repository)?.map(|key| (remote, key)));
        }
    }
    let sources = table.inner("sources")?;
    for source in
        sources.iter().flat_map(|sources| sources.entries().into_iter().map(|(name, _)| sources.inner(name)))
    {
        let Some(source) = source? else { continue };
        // With g10k, the key of a source is also that of the modules of its Puppetfiles.
        if let Some(key) = key(&source)? {
            keys.repositories.extend(source.text("remote")?.map(|remote| (remote, key.clone())));
            keys.default.get_or_insert(key);
        }
    }
    Ok(keys)
}

fn forge(table: &Table<'_>, notes: &mut Vec<String>) -> Result<ForgeSettings, Problem> {
    let mut settings = ForgeSettings { url: table.text("forge_base_url")?, ..ForgeSettings::default() };
    if let Some(forge) = table.inner("forge")? {
        forge.note_unknown(FORGE, notes);
        note_ignored("forge", &forge, notes);
        settings.url = forge.text("baseurl")?.or(settings.url);
        settings.key = forge.text("authorization_token")?;
        settings.allow_override = forge.flag("allow_puppetfile_override", false)?;
    }
    Ok(settings)
}

fn purge_levels(place: &Table<'_>) -> Result<PurgeLevels, Problem> {
    let Some(words) = place.list("purge_levels", true)? else { return Ok(PurgeLevels::default()) };
    let mut levels = PurgeLevels { deployment: false, environment: false, puppetfile: false };
    for word in words {
        let known = [("deployment", 0), ("environment", 1), ("puppetfile", 2)];
        match place.word_of("purge_levels", word.trim_start_matches(':'), &known)? {
            0 => levels.deployment = true,
            1 => levels.environment = true,
            _ => levels.puppetfile = true,
        }
    }
    Ok(levels)
}

fn sources(table: &Table<'_>, base: &Path, notes: &mut Vec<String>) -> Result<Vec<SourceSettings>, Problem> {
    let list = table.inner("sources")?.filter(|sources| !sources.entries().is_empty()).ok_or_else(|| {
        table.wrong("sources", "no source of environments is given").help(
            "sources:\n  control:\n    remote: 'https://git.example.com/control.git'\n    basedir: '/etc/puppetlabs/code/environments'",
        )
    })?;
    let mut sources = Vec::new();
    for (name, _) in list.entries() {
        let Some(settings) = list.inner(name)? else {
            return Err(list.wrong(name, "expected a mapping with 'remote' and 'basedir'"));
        };
        settings.note_unknown(SOURCE, notes);
        note_ignored("source", &settings, notes);
        sources.push(source(name, list.position(name), &settings, base, notes)?);
    }
    Ok(sources)
}

fn source(
    name: &str,
    position: String,
    table: &Table<'_>,
    base: &Path,
    notes: &mut Vec<String>,
) -> Result<SourceSettings, Problem> {
    let words = [
        ("correct_and_warn", Invalid::CorrectAndWarn),
        ("correct", Invalid::Correct),
        ("error", Invalid::Ignore),
    ];
    let naming = Naming {
        prefix: prefix(name, table)?,
        strip: strip(table)?,
        invalid: table.word("invalid_branches", &words, Invalid::CorrectAndWarn)?,
    };
    let kinds = [("git", 0), ("yaml", 1), ("yamldir", 2)];
    let kind = match table.word("type", &kinds, 0)? {
        0 => SourceKind::Git(branches(table)?),
        1 => {
            let path =
                table.text("config")?.unwrap_or_else(|| "/etc/puppetlabs/r10k/environments.yaml".to_owned());
            let path = base.join(path);
            let file = SettingsFile::parse(&path, &read_file(&path)?)?;
            SourceKind::Listed(listed(&file.table()?, notes)?)
        }
        _ => SourceKind::Listed(directory(
            &base.join(
                table.text("config")?.unwrap_or_else(|| "/etc/puppetlabs/r10k/environments.d".to_owned()),
            ),
            notes,
        )?),
    };
    let basedir = table.required("basedir")?;
    if !Path::new(&basedir).is_absolute() && basedir.starts_with('~') {
        return Err(table.wrong("basedir", "expected a path, '~' is not expanded"));
    }
    Ok(SourceSettings {
        name: name.to_owned(),
        basedir: kukla_world::normal(&base.join(basedir)),
        naming,
        puppetfile: table.text("puppetfile_name")?.unwrap_or_else(|| "Puppetfile".to_owned()),
        exact_versions: table.flag("force_forge_versions", false)?,
        kind,
        position,
    })
}

/// The prefix of the names of environments: that of the setting, or the name of the source.
fn prefix(name: &str, table: &Table<'_>) -> Result<Option<String>, Problem> {
    Ok(match table.get("prefix") {
        Some(Value::Boolean(true)) => Some(name.to_owned()),
        Some(Value::Boolean(false)) => None,
        _ => table.text("prefix")?,
    })
}

fn strip(table: &Table<'_>) -> Result<Option<Strip>, Problem> {
    if let Some(Value::Boolean(false)) = table.get("strip_component") {
        return Ok(None);
    }
    let Some(text) = table.text("strip_component")? else { return Ok(None) };
    let pattern = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    match pattern {
        Some(pattern) => Regexp::new(pattern)
            .map(|regexp| Some(Strip::Matches(regexp)))
            .map_err(|error| table.wrong("strip_component", &error.to_string())),
        None => Ok(Some(Strip::Start(text))),
    }
}

fn branches(table: &Table<'_>) -> Result<BranchSettings, Problem> {
    let filter = table.text("filter_regex")?.filter(|filter| !filter.is_empty());
    if let Some(filter) = &filter {
        Regexp::new(filter).map_err(|error| table.wrong("filter_regex", &error.to_string()))?;
    }
    Ok(BranchSettings {
        remote: table.required("remote")?,
        ignored_prefixes: table.list("ignore_branch_prefixes", true)?.unwrap_or_default(),
        filter,
        filter_command: table.text("filter_command")?.filter(|command| !command.is_empty()),
    })
}

/// The environments of a directory with a file for each.
fn directory(path: &Path, notes: &mut Vec<String>) -> Result<Vec<ListedEnvironment>, Problem> {
    let entries = std::fs::read_dir(path).map_err(|error| Problem::io("read", path, &error))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    let mut environments = Vec::new();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = SettingsFile::parse(&path, &read_file(&path)?)?;
        environments.push(environment(&name, &file.table()?, notes)?);
    }
    Ok(environments)
}

fn listed(table: &Table<'_>, notes: &mut Vec<String>) -> Result<Vec<ListedEnvironment>, Problem> {
    let mut environments = Vec::new();
    for (name, _) in table.entries() {
        let Some(settings) = table.inner(name)? else {
            return Err(table.wrong(name, "expected a mapping with 'remote' and 'ref'"));
        };
        environments.push(environment(name, &settings, notes)?);
    }
    Ok(environments)
}

fn environment(name: &str, table: &Table<'_>, notes: &mut Vec<String>) -> Result<ListedEnvironment, Problem> {
    table.note_unknown(ENVIRONMENT, notes);
    let either = |first: &str, second: &str| Ok::<_, Problem>(table.text(first)?.or(table.text(second)?));
    let kinds = [("git", true), ("plain", false), ("bare", false)];
    let repository = match table.word("type", &kinds, true)? {
        true => {
            let remote = either("remote", "source")?
                .ok_or_else(|| table.wrong("remote", "expected the URL of a git repository"))?;
            Some((remote, either("ref", "version")?))
        }
        false => None,
    };
    let words = [
        ("override_and_warn", Conflicts::Warn),
        ("override", Conflicts::Override),
        ("error", Conflicts::Error),
    ];
    Ok(ListedEnvironment {
        name: name.to_owned(),
        repository,
        moduledir: table.text("moduledir")?,
        modules: modules(table)?,
        conflicts: table.word("module_conflicts", &words, Conflicts::Warn)?,
    })
}

/// The modules of an environment as declarations of a Puppetfile.
fn modules(table: &Table<'_>) -> Result<String, Problem> {
    let Some(modules) = table.inner("modules")? else { return Ok(String::new()) };
    let mut text = String::new();
    for (name, value) in modules.entries() {
        text += &format!("mod {}", quoted(name));
        match value {
            Value::Hash(_) => {
                let Some(options) = modules.inner(name)? else { continue };
                for (option, _) in options.entries() {
                    let is_word = option.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    if option.is_empty() || !is_word {
                        return Err(options.wrong(option, "expected the name of an option of `mod`"));
                    }
                    let value = match options.get(option) {
                        Some(Value::Boolean(flag)) => flag.to_string(),
                        _ => options.text(option)?.map_or_else(|| "nil".to_owned(), |text| quoted(&text)),
                    };
                    text += &format!(", :{option} => {value}");
                }
            }
            Value::Undef => text += ", 'latest'",
            _ => text += &format!(", {}", quoted(&modules.text(name)?.unwrap_or_default())),
        }
        text.push('\n');
    }
    Ok(text)
}

/// A string of Ruby that is nothing but its text.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
