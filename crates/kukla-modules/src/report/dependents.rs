//! The modules that require others: as a tree, and as the paths that lead to one.

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::{Lock, LockedModule};
use crate::metadata::Dependency;
use crate::puppetfile::split_title;

/// The requirements among the modules of a lock.
#[derive(Debug)]
pub struct Dependents<'l> {
    lock: &'l Lock,
    by_name: BTreeMap<&'l str, &'l LockedModule>,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine<'l> {
    /// For each level, whether another line of that level follows.
    pub branches: Vec<bool>,
    /// The name of the module.
    pub title: &'l str,
    /// The module; none if the lock does not have it.
    pub module: Option<&'l LockedModule>,
    /// The required versions; empty at the top.
    pub range: &'l str,
    /// Whether what it requires is shown further above.
    pub is_repeated: bool,
}

impl<'l> Dependents<'l> {
    /// The requirements of a lock.
    pub fn new(lock: &'l Lock) -> Dependents<'l> {
        let by_name = lock.modules.iter().map(|module| (&*module.name, module)).collect();
        Dependents { lock, by_name }
    }

    /// The module that satisfies a requirement: one of the same name, of any author.
    pub fn find(&self, dependency: &Dependency) -> Option<&'l LockedModule> {
        let (_, name) = split_title(&dependency.name)?;
        self.by_name.get(name).copied()
    }

    /// The lines of the tree below the modules that the Puppetfile declares and nothing requires, then those that only each other require.
    pub fn tree(&self) -> Vec<TreeLine<'l>> {
        let required: BTreeSet<&str> = self
            .lock
            .modules
            .iter()
            .flat_map(|module| {
                module
                    .dependencies
                    .iter()
                    .filter_map(|each| self.find(each))
                    .filter(|found| found.title != module.title)
            })
            .map(|module| &*module.title)
            .collect();
        let mut seen = BTreeSet::new();
        let mut lines = Vec::new();
        let first = self.lock.modules.iter().filter(|module| !required.contains(&*module.title));
        for module in first {
            self.walk(&module.title, Some(module), "", &mut Vec::new(), &mut seen, &mut lines);
        }
        for module in &self.lock.modules {
            if !seen.contains(&*module.title) {
                self.walk(&module.title, Some(module), "", &mut Vec::new(), &mut seen, &mut lines);
            }
        }
        lines
    }

    fn walk(
        &self,
        title: &'l str,
        module: Option<&'l LockedModule>,
        range: &'l str,
        branches: &mut Vec<bool>,
        seen: &mut BTreeSet<&'l str>,
        lines: &mut Vec<TreeLine<'l>>,
    ) {
        let title = module.map_or(title, |module| &module.title);
        let is_new = seen.insert(title);
        let dependencies = module.map_or(&[][..], |module| &module.dependencies);
        let is_repeated = !is_new && !dependencies.is_empty();
        lines.push(TreeLine { branches: branches.clone(), title, module, range, is_repeated });
        if is_repeated {
            return;
        }
        for (index, dependency) in dependencies.iter().enumerate() {
            branches.push(index + 1 < dependencies.len());
            self.walk(&dependency.name, self.find(dependency), &dependency.range, branches, seen, lines);
            branches.pop();
        }
    }

    /// The shortest paths from declared modules to a module, each with the requirements on the way; the module itself is the last.
    pub fn paths(&self, target: &LockedModule) -> Vec<Vec<(&'l LockedModule, &'l str)>> {
        let mut paths = Vec::new();
        for root in self
            .lock
            .modules
            .iter()
            .filter(|module| module.declared.is_some() && module.title != target.title)
        {
            let mut seen = BTreeSet::from([&*root.title]);
            let mut pending = std::collections::VecDeque::from([vec![(root, "")]]);
            while let Some(path) = pending.pop_front() {
                let Some((last, _)) = path.last() else { continue };
                if last.title == target.title {
                    paths.push(path);
                    break;
                }
                for dependency in &last.dependencies {
                    if let Some(next) = self.find(dependency)
                        && seen.insert(&next.title)
                    {
                        let mut longer = path.clone();
                        longer.push((next, &*dependency.range));
                        pending.push_back(longer);
                    }
                }
            }
        }
        paths
    }
}
