//! `kukla mod add`, `remove` and `update`: changes of the Puppetfile and its lock, both or neither.

use std::collections::BTreeMap;

use kukla::syntax::Problem;
use kukla_modules::lock::{Lock, Origin, Update};
use kukla_modules::puppetfile::edit::{Editor, check_literal};
use kukla_modules::puppetfile::{GitReference, Puppetfile, Source, VersionRequest, split_title};
use kukla_modules::report::newer_tag;

use super::ResolutionArgs;
use super::options::{ModuleOptions, Modules};
use crate::output::{outln, write_file};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// Modules: puppetlabs/stdlib for the latest version that fits, puppetlabs/stdlib@9.4.1 for another
    #[arg(required = true, value_name = "MODULE[@VERSION]")]
    modules: Vec<String>,
    /// Add the module from this git repository; its version is a branch, tag or commit
    #[arg(long, value_name = "URL")]
    git: Option<String>,
    #[command(flatten)]
    resolution: ResolutionArgs,
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Names of modules, with or without their authors
    #[arg(required = true, value_name = "MODULE")]
    modules: Vec<String>,
    #[command(flatten)]
    resolution: ResolutionArgs,
    #[command(flatten)]
    options: ModuleOptions,
}

#[derive(Debug, clap::Args)]
pub struct UpdateArgs {
    /// Names of modules, with or without their authors and versions [default: all]
    #[arg(value_name = "MODULE[@VERSION]")]
    modules: Vec<String>,
    #[command(flatten)]
    resolution: ResolutionArgs,
    #[command(flatten)]
    options: ModuleOptions,
}

/// A Puppetfile that is being changed.
struct Session {
    modules: Modules,
    before: String,
    previous: Option<Lock>,
}

impl Session {
    fn open(options: &ModuleOptions) -> Result<Session, Problem> {
        let modules = options.open()?;
        let (before, previous) = (files::read_text(&modules.path)?, modules.lock()?);
        Ok(Session { modules, before, previous })
    }

    /// Makes changes, resolves what results and writes both files.
    fn run(
        &self,
        resolution: &ResolutionArgs,
        update: Update,
        change: impl FnOnce(&mut Editor<'_>) -> Result<(), Problem>,
    ) -> CommandResult {
        let world = self.modules.world();
        let mut editor = Editor::new(&world, &self.modules.path, &self.before, &self.modules.options)?;
        change(&mut editor)?;
        let options = resolution.options(self.previous.as_ref(), update);
        let locked = self.modules.resolve(&editor.puppetfile, &options)?;
        if editor.text != self.before {
            write_file(&self.modules.path, editor.text.as_bytes())?;
            outln!("{}: changed", self.modules.path.file_name().unwrap_or_default().to_string_lossy());
        }
        self.modules.write_lock(self.previous.as_ref(), &locked.lock)?;
        Ok(ExitKind::Success)
    }

    /// The versions that the resolver chooses for a changed Puppetfile.
    fn choose(
        &self,
        puppetfile: &Puppetfile,
        resolution: &ResolutionArgs,
        update: Update,
    ) -> Result<Lock, Problem> {
        let options = resolution.options(self.previous.as_ref(), update);
        Ok(self
            .modules
            .sources
            .lock(puppetfile, &self.modules.control(), &options, &kukla_modules::sources::Silent)?
            .lock)
    }
}

fn split_version(text: &str) -> (String, Option<&str>) {
    let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
    (name.replace('/', "-"), version)
}

/// Adds modules.
pub fn add(args: &AddArgs) -> CommandResult {
    let session = Session::open(&args.options)?;
    if args.git.is_some() && args.modules.len() > 1 {
        return Err(Problem::invalid("--git adds one module"));
    }
    let wanted: Vec<(String, Option<&str>)> = args.modules.iter().map(|text| split_version(text)).collect();
    for (title, _) in &wanted {
        match split_title(title) {
            None => {
                return Err(Problem::invalid("invalid name of a module")
                    .on(format!("'{title}'"))
                    .help("write author/name"));
            }
            Some((None, _)) if args.git.is_none() => {
                return Err(Problem::invalid("invalid name of a Forge module")
                    .on(format!("'{title}'"))
                    .help("write author/name, or add --git URL"));
            }
            Some(_) => {}
        }
    }
    session.run(&args.resolution, Update::Nothing, |editor| {
        if let (Some(url), [(title, version)]) = (&args.git, wanted.as_slice()) {
            check_literal(url)?;
            let reference = version.map(|version| format!(",\n  ref: '{version}'")).unwrap_or_default();
            version.map_or(Ok(()), check_literal)?;
            return editor.add(title, &format!("mod '{title}',\n  git: '{url}'{reference}"));
        }
        // The resolver chooses versions that fit before they become exact ones.
        for (title, version) in &wanted {
            check_literal(version.unwrap_or_default())?;
            let name = title.replacen('-', "/", 1);
            let version = version.map(|version| format!(", '{version}'")).unwrap_or_default();
            editor.add(title, &format!("mod '{name}'{version}"))?;
        }
        let chosen = session.choose(&editor.puppetfile, &args.resolution, Update::Nothing)?;
        for (title, _) in wanted.iter().filter(|(_, version)| version.is_none()) {
            if let Some(version) = chosen.find(title).and_then(|module| module.version.clone()) {
                editor.set_version(title, &version)?;
            }
        }
        Ok(())
    })
}

/// Removes modules.
pub fn remove(args: &RemoveArgs) -> CommandResult {
    let session = Session::open(&args.options)?;
    session.run(&args.resolution, Update::Nothing, |editor| {
        args.modules.iter().try_for_each(|name| editor.remove(name))
    })
}

/// Raises versions.
pub fn update(args: &UpdateArgs) -> CommandResult {
    let session = Session::open(&args.options)?;
    let named: BTreeMap<String, Option<&str>> = args.modules.iter().map(|text| split_version(text)).collect();
    let puppetfile = session.modules.puppetfile()?;
    let mut titles = Vec::new();
    for name in named.keys() {
        let declared = puppetfile.find(name).map(|module| module.title.clone());
        let locked = || session.previous.as_ref().and_then(|lock| Some(lock.find(name)?.title.clone()));
        titles.push(declared.or_else(locked).ok_or_else(|| {
            Problem::not_found(format!("neither the Puppetfile nor its lock has a module '{name}'"))
        })?);
    }
    let update = if titles.is_empty() { Update::All } else { Update::Modules(titles.clone()) };
    let is_updated = |title: &str| titles.is_empty() || titles.iter().any(|updated| updated == title);
    session.run(&args.resolution, update.clone(), |editor| {
        let mut relaxed = editor.puppetfile.clone();
        let mut edits: Vec<(String, String)> = Vec::new();
        for module in relaxed.modules.iter_mut().filter(|module| is_updated(&module.title)) {
            let version = named.get(&module.title).or_else(|| named.get(&module.name)).copied().flatten();
            match (&module.source, version) {
                (Source::Forge(_) | Source::Git(_), Some(version)) => {
                    edits.push((module.title.clone(), version.to_owned()));
                    if matches!(module.source, Source::Forge(_)) {
                        module.source = Source::Forge(VersionRequest::Exact(version.to_owned()));
                    }
                }
                (Source::Forge(VersionRequest::Exact(_)), None) => {
                    module.source = Source::Forge(VersionRequest::Any)
                }
                (Source::Git(request), None) => {
                    if let Some(GitReference::Name(reference)) = &request.reference {
                        let references = session
                            .modules
                            .sources
                            .git(&request.url, &session.modules.control())?
                            .references()?;
                        edits
                            .extend(newer_tag(&references, reference).map(|tag| (module.title.clone(), tag)));
                    }
                }
                _ => {}
            }
        }
        let chosen = session.choose(&relaxed, &args.resolution, update)?;
        for (module, before) in relaxed.modules.iter().zip(editor.puppetfile.modules.clone()) {
            let locked = chosen.find(&module.title).map(|locked| &locked.origin);
            if let (
                Source::Forge(VersionRequest::Exact(old)),
                Source::Forge(VersionRequest::Any),
                Some(Origin::Forge { version }),
            ) = (&before.source, &module.source, locked)
                && old != version
            {
                edits.push((module.title.clone(), version.clone()));
            }
        }
        edits.iter().try_for_each(|(title, version)| editor.set_version(title, version))
    })
}
