//! The meaning of the declarations of a Puppetfile: that of r10k, and where r10k has none, that of g10k or librarian-puppet.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use kukla_syntax::{Problem, suggest};
use kukla_values::semver::{Version, VersionRange};

use super::evaluate::{Argument, Record, invalid};
use super::{Declaration, GitReference, GitRequest, Puppetfile, ReadOptions, Source, VersionRequest};

/// The options of `mod` that r10k and g10k know. Others have no effect, as in r10k.
const OPTIONS: [&str; 27] = [
    "git",
    "svn",
    "local",
    "type",
    "version",
    "source",
    "branch",
    "tag",
    "commit",
    "ref",
    "default_branch",
    "default_branch_override",
    "install_path",
    "exclude_spec",
    "checksum",
    "rev",
    "revision",
    "username",
    "password",
    "link",
    "fallback",
    "sha256sum",
    "ignore_unreachable",
    "use_ssh_agent",
    "tarball",
    "sha256",
    "path",
];

/// The Puppetfile at a path that makes these declarations.
pub fn puppetfile(path: &Path, records: Vec<Record>, options: &ReadOptions) -> Result<Puppetfile, Problem> {
    let mut reader = Reader { path, options, forge: None, moduledir: options.moduledir.clone() };
    let mut modules: Vec<Declaration> = Vec::new();
    let mut lines: BTreeMap<String, u32> = BTreeMap::new();
    for record in records {
        match &*record.word {
            "forge" => reader.forge = Some(reader.text(&record, "forge", &record.name)?),
            "moduledir" => {
                reader.moduledir = reader.directory(&record, "moduledir", &record.name)?;
            }
            _ => {
                let module = reader.module(&record)?;
                if let Some(first) = lines.insert(module.name.clone(), module.line) {
                    let twice = format!("the module '{}' is also declared on line {first}", module.name);
                    return Err(reader.wrong(&record, &twice).help(
                        "remove one of the two; modules of the same name cannot be installed together",
                    ));
                }
                modules.push(module);
            }
        }
    }
    let Reader { forge, moduledir, .. } = reader;
    Ok(Puppetfile { path: path.to_owned(), forge, modules, moduledir })
}

struct Reader<'r> {
    path: &'r Path,
    options: &'r ReadOptions,
    forge: Option<String>,
    moduledir: PathBuf,
}

impl Reader<'_> {
    fn wrong(&self, record: &Record, message: &str) -> Problem {
        invalid(&self.path.display().to_string(), Some(record.line), message)
    }

    fn text(&self, record: &Record, option: &str, argument: &Argument) -> Result<String, Problem> {
        match argument {
            Argument::Text(text) | Argument::Symbol(text) => Ok(text.clone()),
            other => {
                Err(self.wrong(record, &format!("expected a string for `{option}`, got {}", shown(other))))
            }
        }
    }

    /// A directory, relative to that of the Puppetfile if it is below that.
    fn directory(&self, record: &Record, option: &str, argument: &Argument) -> Result<PathBuf, Problem> {
        let text = self.text(record, option, argument)?;
        let base = self.path.parent().unwrap_or(Path::new(""));
        let path = Path::new(&text);
        Ok(lexical(path.strip_prefix(base).unwrap_or(path)))
    }

    fn module(&self, record: &Record) -> Result<Declaration, Problem> {
        let title = self.text(record, "mod", &record.name)?.replace('/', "-");
        let Some((author, name)) = split_title(&title) else {
            let message = format!("the module name '{title}' is neither 'name' nor 'author/name'");
            return Err(self.wrong(record, &message));
        };
        let options = Options::of(self, record)?;
        let (directory, is_placed) = match options.get("install_path") {
            Some(path) => {
                let directory = self.directory(record, "install_path", path)?;
                if !is_inside(&directory) {
                    let shown = directory.display();
                    let message = format!("'{shown}' is not within the directory of the Puppetfile");
                    return Err(self.wrong(record, &message));
                }
                (directory, true)
            }
            None => (self.moduledir.clone(), false),
        };
        let excludes_spec = options.get("exclude_spec").map_or(self.options.exclude_spec, Argument::is_true);
        let source = options.source(author, name)?;
        Ok(Declaration {
            name: name.to_owned(),
            line: record.line,
            directory,
            // r10k leaves directories alone that modules are placed in one by one.
            keep_spec: is_placed || !excludes_spec,
            source,
            title,
        })
    }
}

/// A path without `.`, and without `..` but at its start.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(clean.components().next_back(), Some(Component::Normal(_))) => {
                clean.pop();
            }
            Component::ParentDir if clean.has_root() => {}
            part => clean.push(part),
        }
    }
    clean
}

/// Whether a path of a declaration is below the directory of the Puppetfile.
pub fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The author, if there is one, and the name. Both consist of word characters.
pub fn split_title(title: &str) -> Option<(Option<&str>, &str)> {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (author, name) = match title.split_once(['-', '/']) {
        Some((author, name)) => (Some(author), name),
        None => (None, title),
    };
    (is_word(name) && author.is_none_or(is_word)).then_some((author, name))
}

/// The options of one declaration.
struct Options<'r> {
    reader: &'r Reader<'r>,
    record: &'r Record,
    version: &'r Argument,
    pairs: Vec<(&'r str, &'r Argument)>,
}

impl<'r> Options<'r> {
    fn of(reader: &'r Reader<'r>, record: &'r Record) -> Result<Options<'r>, Problem> {
        let (version, hash) = match (&record.argument, &record.options) {
            (hash @ Argument::Hash(_), Argument::Nil) => (&Argument::Nil, hash),
            (version, hash @ (Argument::Hash(_) | Argument::Nil)) => (version, hash),
            (_, other) => {
                let message = format!("expected options after the version, got {}", shown(other));
                return Err(reader.wrong(record, &message));
            }
        };
        let mut pairs = Vec::new();
        if let Argument::Hash(entries) = hash {
            for (key, value) in entries {
                let Argument::Symbol(key) = key else {
                    let message = format!("expected a symbol as the name of an option, got {}", shown(key));
                    return Err(reader.wrong(record, &message));
                };
                pairs.push((key.as_str(), value));
            }
        }
        Ok(Options { reader, record, version, pairs })
    }

    fn get(&self, name: &str) -> Option<&'r Argument> {
        self.pairs.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// The text of an option; none if it is not there or `nil`.
    fn text(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.get(name) {
            None | Some(Argument::Nil) => Ok(None),
            Some(value) => self.reader.text(self.record, name, value).map(Some),
        }
    }

    fn wrong(&self, message: &str) -> Problem {
        self.reader.wrong(self.record, message)
    }

    fn source(&self, author: Option<&str>, name: &str) -> Result<Source, Problem> {
        let kind = self.text("type")?;
        let is = |wanted: &str| kind.as_deref() == Some(wanted);
        if self.get("git").is_some() || is("git") {
            return self.git().map(Source::Git);
        }
        if self.get("svn").is_some() || is("svn") {
            let url = self.required("svn")?;
            let revision = ["revision", "rev", "version"].map(|option| self.text(option));
            let revision = revision.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().next();
            return Ok(Source::Svn { url, revision });
        }
        if self.get("local").is_some_and(Argument::is_true) || is("local") {
            return Ok(Source::Local);
        }
        if is("tarball") || self.get("tarball").is_some() {
            let digests = ["checksum", "version", "sha256sum"].map(|option| self.text(option));
            let digests = digests.into_iter().collect::<Result<Vec<_>, _>>()?;
            let sha256 = digests.into_iter().flatten().next();
            if let Some(digest) = &sha256 {
                self.check_digest(digest)?;
            }
            return Ok(Source::Tarball { url: self.required("tarball")?, sha256 });
        }
        // g10k names digests of Forge modules.
        let has_version =
            !matches!(self.record.argument, Argument::Hash(_)) || self.get("sha256sum").is_some();
        let is_forge = is("forge") || kind.is_none() && has_version;
        if !is_forge {
            return Err(self.unknown_source(kind.as_deref(), name));
        }
        if author.is_none() {
            return Err(
                self.wrong(&format!("expected 'author/{name}' for a module of the Forge, got '{name}'"))
            );
        }
        self.forge_version().map(Source::Forge)
    }

    fn unknown_source(&self, kind: Option<&str>, name: &str) -> Problem {
        let problem = match kind {
            Some(kind) => self.wrong(&format!("unknown type '{kind}' of the module '{name}'")),
            None => self.wrong(&format!("the options of the module '{name}' do not say where it comes from")),
        };
        let unknown = self.pairs.iter().find(|(key, _)| !OPTIONS.contains(key));
        let near = unknown.and_then(|(key, _)| Some((key, suggest::nearest(key, OPTIONS)?)));
        match near {
            Some((key, near)) => problem.help(format!("did you mean `{near}` instead of `{key}`?")),
            None => problem.help("add `git: URL`, `local: true`, or `type: 'forge'` with `version: '1.2.3'`"),
        }
    }

    fn required(&self, option: &str) -> Result<String, Problem> {
        let text = match self.text(option)? {
            Some(text) => Some(text),
            None => self.text("source")?,
        };
        text.ok_or_else(|| self.wrong(&format!("expected a string for `{option}`")))
    }

    fn check_digest(&self, digest: &str) -> Result<(), Problem> {
        match digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(()),
            false => {
                Err(self.wrong(&format!("invalid SHA-256 digest '{digest}': expected 64 hexadecimal digits")))
            }
        }
    }

    fn git(&self) -> Result<GitRequest, Problem> {
        let url = self.required("git")?;
        let mut reference = None;
        // The last one counts, as in r10k.
        for (key, value) in &self.pairs {
            match (*key, *value) {
                ("branch" | "tag" | "commit" | "ref" | "version", Argument::Symbol(name))
                    if name == "control_branch" =>
                {
                    reference = Some(GitReference::ControlBranch);
                }
                ("branch" | "tag" | "commit" | "ref" | "version", Argument::Nil) => reference = None,
                ("branch" | "tag" | "commit" | "ref" | "version", value) => {
                    reference = Some(GitReference::Name(self.reader.text(self.record, key, value)?));
                }
                ("link", value) if is_yes(value) => reference = Some(GitReference::ControlBranch),
                _ => {}
            }
        }
        let mut fallbacks: Vec<String> = Vec::new();
        if let Some(list) = self.text("fallback")? {
            fallbacks
                .extend(list.split('|').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        }
        let default = match self.text("default_branch")? {
            Some(default) => Some(default),
            None => self.reader.options.default_branch.clone(),
        };
        fallbacks.extend(default);
        Ok(GitRequest { url, reference, fallbacks })
    }

    fn forge_version(&self) -> Result<VersionRequest, Problem> {
        let version = match self.version {
            Argument::Nil => self.get("version").unwrap_or(&Argument::Nil),
            version => version,
        };
        match version {
            Argument::Nil => Ok(VersionRequest::Any),
            Argument::Symbol(word) | Argument::Text(word) if word == "latest" || word == "present" => {
                Ok(VersionRequest::Latest)
            }
            Argument::Text(text) if Version::parse(text).is_ok() => Ok(VersionRequest::Exact(text.clone())),
            Argument::Text(text) if VersionRange::parse(text).is_ok() => {
                Ok(VersionRequest::Range(text.clone()))
            }
            other => Err(self
                .wrong(&format!("{} is not a valid version of a Forge module", shown(other)))
                .help("write a version such as '9.4.1', a range such as '>= 9.0.0 < 10.0.0', or :latest")),
        }
    }
}

/// g10k's flags are true if their text is `true`.
fn is_yes(value: &Argument) -> bool {
    match value {
        Argument::Text(text) => text == "true",
        value => value.is_true(),
    }
}

impl Argument {
    /// Whether Ruby takes it for true.
    fn is_true(&self) -> bool {
        !matches!(self, Argument::Nil | Argument::Bool(false))
    }
}

/// The argument as Ruby inspects it.
fn shown(argument: &Argument) -> String {
    match argument {
        Argument::Nil => "nil".to_owned(),
        Argument::Bool(flag) => flag.to_string(),
        Argument::Symbol(name) => format!(":{name}"),
        Argument::Text(text) => format!("'{text}'"),
        Argument::Hash(_) => "a hash".to_owned(),
        Argument::Other(text) => text.clone(),
    }
}
