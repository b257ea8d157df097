//! The environments that should be there: the branches of the sources, and those that lists name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kukla_syntax::{Problem, ProblemKind};
use kukla_values::regexp::Regexp;
use kukla_world::World;

use super::settings::{BranchSettings, Conflicts, ListedEnvironment, SourceKind, SourceSettings};
use crate::git::RemoteReference;
use crate::network::without_password;
use crate::parallel;
use crate::sources::{ControlRepository, Sources};

/// An environment that should be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredEnvironment {
    /// The name of its source.
    pub source: String,
    /// Its name without prefix and corrections.
    pub name: String,
    /// The name of its directory.
    pub directory: String,
    /// The directory of the source's environments.
    pub basedir: PathBuf,
    /// Its repository; none if it has only modules.
    pub checkout: Option<Checkout>,
    /// The name of its Puppetfile.
    pub puppetfile: String,
    /// Whether modules of the Forge must have an exact version.
    pub exact_versions: bool,
    /// The directory of its own modules.
    pub moduledir: Option<String>,
    /// Its own modules, as declarations of a Puppetfile.
    pub modules: String,
    /// The treatment of modules that it and its Puppetfile both declare.
    pub conflicts: Conflicts,
}

impl DesiredEnvironment {
    /// The directory of the environment.
    pub fn path(&self) -> PathBuf {
        self.basedir.join(&self.directory)
    }

    /// The commit, as r10k records it.
    pub fn signature(&self) -> &str {
        self.checkout.as_ref().map_or("plain-default", |checkout| &checkout.commit)
    }
}

/// A commit of a control repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The URL.
    pub remote: String,
    /// The branch, tag or commit.
    pub reference: String,
    /// The commit.
    pub commit: String,
}

/// The environments of all sources.
#[derive(Clone, Debug, Default)]
pub struct Desired {
    /// The environments in the order of the sources.
    pub environments: Vec<DesiredEnvironment>,
    /// Remarks on branches that are ignored or have another name.
    pub notes: Vec<String>,
}

/// Lists the environments of all sources. If one source cannot be listed, nothing is: its environments would seem to be gone.
pub fn list(settings: &[SourceSettings], sources: &Sources, world: &dyn World) -> Result<Desired, Problem> {
    let listed = parallel::map(settings, sources.threads(), |source| {
        of_source(source, sources, world).map_err(|problem| {
            Problem::new(problem.kind(), "cannot list the environments of the source")
                .on(format!("'{}' ({})", source.name, source.position))
                .caused_by(problem)
        })
    });
    let mut all = Desired::default();
    for listed in listed {
        let Desired { environments, notes } = listed?;
        all.environments.extend(environments);
        all.notes.extend(notes);
    }
    let mut paths: BTreeMap<PathBuf, &DesiredEnvironment> = BTreeMap::new();
    for environment in &all.environments {
        if let Some(other) = paths.insert(environment.path(), environment) {
            return Err(Problem::new(ProblemKind::Conflict, "two environments have the same directory")
                .on(environment.path().display())
                .because(format!(
                    "'{}' of the source '{}' and '{}' of the source '{}'",
                    other.name, other.source, environment.name, environment.source
                ))
                .help("give one of the sources a prefix, or rename a branch"));
        }
    }
    Ok(all)
}

fn of_source(source: &SourceSettings, sources: &Sources, world: &dyn World) -> Result<Desired, Problem> {
    match &source.kind {
        SourceKind::Git(branches) => of_branches(source, branches, sources, world),
        SourceKind::Listed(environments) => {
            let listed = environments.iter().map(|environment| of_list(source, environment, sources));
            let environments = listed.collect::<Result<Vec<_>, Problem>>()?;
            Ok(Desired { environments, notes: Vec::new() })
        }
    }
}

fn of_branches(
    source: &SourceSettings,
    settings: &BranchSettings,
    sources: &Sources,
    world: &dyn World,
) -> Result<Desired, Problem> {
    let references = sources.git(&settings.remote, &ControlRepository::default())?.references()?;
    let branches: Vec<(&str, &RemoteReference)> =
        references.all.iter().filter_map(|reference| Some((reference.branch()?, reference))).collect();
    if branches.is_empty() {
        return Err(Problem::not_found("there is no branch")
            .on(without_password(&settings.remote))
            .help("an empty repository would remove all environments; remove its source instead"));
    }
    let mut desired = Desired::default();
    for (branch, reference) in branches {
        let mut ignore = |why: &str| desired.notes.push(format!("the branch '{branch}' is ignored: {why}"));
        if let Some(prefix) =
            settings.ignored_prefixes.iter().find(|prefix| branch.starts_with(prefix.as_str()))
        {
            ignore(&format!("it begins with '{prefix}' (ignore_branch_prefixes)"));
            continue;
        }
        if let Some(filter) = &settings.filter
            && !Regexp::new(filter).is_ok_and(|regexp| regexp.is_match(branch))
        {
            ignore(&format!("it does not match '{filter}' (filter_regex)"));
            continue;
        }
        if let Some(command) = &settings.filter_command
            && !accepts(world, command, branch, &source.name)?
        {
            ignore(&format!("`{command}` fails for it (filter_command)"));
            continue;
        }
        let name = match source.naming.of_branch(branch)? {
            Ok(name) => name,
            Err(why) => {
                ignore(&why);
                continue;
            }
        };
        desired.notes.extend(name.note);
        desired.environments.push(DesiredEnvironment {
            source: source.name.clone(),
            name: name.name,
            directory: name.directory,
            basedir: source.basedir.clone(),
            checkout: Some(Checkout {
                remote: settings.remote.clone(),
                reference: branch.to_owned(),
                commit: reference.commit.clone(),
            }),
            puppetfile: source.puppetfile.clone(),
            exact_versions: source.exact_versions,
            moduledir: None,
            modules: String::new(),
            conflicts: Conflicts::Warn,
        });
    }
    Ok(desired)
}

/// Whether the filter command accepts a branch. It has r10k's variables.
fn accepts(world: &dyn World, command: &str, branch: &str, source: &str) -> Result<bool, Problem> {
    let script = "R10K_BRANCH=$1 R10K_NAME=$2; export R10K_BRANCH R10K_NAME; eval \"$3\"";
    let words = ["sh", "-c", script, "sh", branch, source, command].map(str::to_owned);
    let output = world.run(&words).map_err(|error| {
        Problem::other("cannot run filter_command").on(format!("`{command}`")).because(error)
    })?;
    Ok(output.code == Some(0))
}

fn of_list(
    source: &SourceSettings,
    environment: &ListedEnvironment,
    sources: &Sources,
) -> Result<DesiredEnvironment, Problem> {
    let name = source.naming.stripped(&environment.name)?;
    let directory = source.naming.prefixed(&name);
    if name.is_empty() || directory.starts_with('.') || directory.contains(['/', '\0']) {
        return Err(Problem::invalid("invalid name of an environment").on(format!("'{directory}'")));
    }
    let checkout = match &environment.repository {
        None => None,
        Some((remote, reference)) => {
            let repository = sources.git(remote, &ControlRepository::default())?;
            let found = repository.resolve(&[reference.as_deref()])?;
            Some(Checkout { remote: remote.clone(), reference: found.reference, commit: found.commit })
        }
    };
    Ok(DesiredEnvironment {
        source: source.name.clone(),
        name,
        directory,
        basedir: source.basedir.clone(),
        checkout,
        puppetfile: source.puppetfile.clone(),
        exact_versions: source.exact_versions,
        moduledir: environment.moduledir.clone(),
        modules: environment.modules.clone(),
        conflicts: environment.conflicts,
    })
}
