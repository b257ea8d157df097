//! Compiling a fleet again after each edit, and the catalogs that the edit changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use kukla_catalog::Catalog;
use kukla_syntax::Problem;
use kukla_world::record::Digest;

use super::compile::{FleetCompileOptions, FleetRun, Round};
use super::members::{Fleet, FleetError};
use super::options::FleetOptions;
use super::progress::Observer;
use super::report::{NodeMessage, NodeReport};
use crate::cache::SecretCatalogs;
use crate::diff::Changes;

/// The state of a fleet after the last edit. The caller watches the [directories](Watch::directories) and calls [`Watch::step`] with a fleet
/// that was opened after the edit.
#[derive(Debug)]
pub struct Watch<M> {
    reports: BTreeMap<String, NodeReport<M>>,
    catalogs: BTreeMap<String, Digest>,
    /// The catalogs that the cache does not contain.
    secrets: SecretCatalogs,
    directories: BTreeSet<PathBuf>,
}

impl<M> Default for Watch<M> {
    fn default() -> Watch<M> {
        Watch {
            reports: BTreeMap::new(),
            catalogs: BTreeMap::new(),
            secrets: SecretCatalogs::default(),
            directories: BTreeSet::new(),
        }
    }
}

/// The result of one edit.
#[derive(Debug)]
pub struct WatchStep<M> {
    /// The run over all nodes.
    pub run: FleetRun<M>,
    /// The difference to the run before, unless this is the first.
    pub changes: Option<WatchChanges<M>>,
}

/// The difference between two runs of a watched fleet.
#[derive(Debug)]
pub struct WatchChanges<M> {
    /// The nodes whose errors or warnings are other ones.
    pub messages: Vec<NodeReport<M>>,
    /// The nodes whose catalogs are other ones, with the changes.
    pub catalogs: Vec<(String, Changes)>,
}

impl<M: NodeMessage + PartialEq> Watch<M> {
    /// Compiles the nodes that an edit affects, or all of them the first time. The options must name a cache.
    pub fn step(
        &mut self,
        fleet: &Fleet,
        options: &FleetCompileOptions,
        observer: &dyn Observer,
    ) -> Result<WatchStep<M>, FleetError> {
        let cache = fleet.open_cache(options, observer)?;
        let cache = cache.ok_or_else(|| Problem::invalid("watching requires a cache"))?;
        if self.reports.is_empty() {
            fleet.report_notices(observer);
        }
        let round = Round::compile(fleet, options, Some(&cache), Some(&self.secrets), observer)?;
        let digests = round.cached_catalogs();
        let mut changes = None;
        if !self.reports.is_empty() {
            // The cache removes replaced catalogs when it is saved, so they are compared before.
            let read = |digest: &Digest| {
                let text = self.secrets.get(*digest).or_else(|| cache.catalog(*digest))?;
                Catalog::from_json(text.as_bytes()).ok()
            };
            changes = Some(self.compare(&round.run, &digests, read));
        }
        let reports = round.run.reports.iter();
        self.reports = reports.map(|report| (report.node.clone(), report.clone())).collect();
        self.catalogs.extend(digests);
        let wanted: BTreeSet<Digest> = self.catalogs.values().copied().collect();
        self.secrets.retain(|digest| wanted.contains(digest));
        for site in fleet.opened_sites() {
            self.directories.extend(site.environment.root.iter().cloned());
            self.directories.extend(site.environment.modulepath().iter().cloned());
        }
        Ok(WatchStep { run: round.finish(fleet), changes })
    }

    fn compare(
        &self,
        run: &FleetRun<M>,
        digests: &BTreeMap<String, Digest>,
        read: impl Fn(&Digest) -> Option<Catalog>,
    ) -> WatchChanges<M> {
        let mut changes = WatchChanges { messages: Vec::new(), catalogs: Vec::new() };
        for report in &run.reports {
            let before = self.reports.get(&report.node);
            if before
                .is_some_and(|before| before.errors != report.errors || before.warnings != report.warnings)
            {
                changes.messages.push(report.clone());
            }
            if let (Some(old), Some(new)) = (self.catalogs.get(&report.node), digests.get(&report.node))
                && old != new
                && let (Some(old), Some(new)) = (read(old), read(new))
            {
                changes.catalogs.push((report.node.clone(), Changes::between(&old, &new)));
            }
        }
        changes
    }

    /// The directories to watch: the outermost of those that hold code, data and facts.
    pub fn directories(&self, options: &FleetOptions) -> Vec<PathBuf> {
        let world = &options.control.files;
        let own = [options.control.path.clone(), options.facts_path()];
        let all = self.directories.iter().cloned().chain(own);
        let all: BTreeSet<PathBuf> =
            all.filter(|path| world.exists(path)).map(|path| world.resolve(&path)).collect();
        let is_within = |path: &PathBuf| all.iter().any(|other| other != path && path.starts_with(other));
        all.iter().filter(|path| !is_within(path)).cloned().collect()
    }
}
