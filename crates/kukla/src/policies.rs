//! Policies: claims in Puppet's language about every catalog of a fleet (`policies/*.pp`).
//!
//! ```
//! use std::path::Path;
//! use kukla::policies::Policies;
//! use kukla::{Compiler, MemoryWorld, Node, SiteSpec};
//!
//! let world = MemoryWorld::default()
//!     .with("/site/manifests/site.pp", "file { '/etc/motd': mode => '0666' }")
//!     .with("/site/policies/files.pp", "policy('not for everybody', File) |$file| { $file['mode'] !~ /[2367]$/ }");
//! let policies = Policies::find(&world, &[Path::new("/site/policies").into()]).unwrap();
//! let site = Compiler::new(world).open(&SiteSpec::at("/site"))?;
//! let node = Node::named("web1");
//! let catalog = site.compile(&node).result?;
//! let found = site.check_policies(&node, &catalog, &policies);
//! assert_eq!(found[0].message(), "File[/etc/motd]: not for everybody");
//! # Ok::<(), Box<kukla::Diagnostic>>(())
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_catalog::{Catalog, Resource};
use kukla_eval::environment::Node;
use kukla_eval::error::{Diagnostic, Location, Raise};
use kukla_eval::inspection::Violation;
use kukla_syntax::{Problem, Source, Span, diagnostic};
use kukla_world::{World, is_directory};

use crate::codes::POLICY_VIOLATED;
use crate::site::Site;

/// Files of policies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies {
    /// The files, in the order in which they are checked.
    pub files: Vec<PathBuf>,
}

impl Policies {
    /// The policies in files and directories, which must exist.
    pub fn find(world: &dyn World, paths: &[PathBuf]) -> Result<Policies, Problem> {
        let mut files = Vec::new();
        for path in paths {
            if !is_directory(world, path) {
                if !world.exists(path) {
                    return Err(Problem::not_found("cannot find").on(path.display()));
                }
                files.push(world.resolve(path));
                continue;
            }
            let entries = world.list(path);
            let manifests = entries.iter().filter(|entry| !entry.is_directory && entry.name.ends_with(".pp"));
            let before = files.len();
            files.extend(manifests.map(|entry| world.resolve(&path.join(&entry.name))));
            if files.len() == before {
                return Err(Problem::not_found("no policies in")
                    .on(path.display())
                    .help("policies are `*.pp` files"));
            }
        }
        Ok(Policies { files })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Site {
    /// The violations of policies by the catalog of a node, and the errors of policies that cannot be evaluated. A severity of `notice` is that of
    /// deprecations.
    pub fn check_policies(&self, node: &Node, catalog: &Catalog, policies: &Policies) -> Vec<Diagnostic> {
        let catalog = Arc::new(catalog.clone());
        let check = |file: &PathBuf| self.check_policy_file(node, &catalog, file);
        policies.files.iter().flat_map(check).collect()
    }

    fn check_policy_file(&self, node: &Node, catalog: &Arc<Catalog>, file: &Path) -> Vec<Diagnostic> {
        let unit = match self.environment.load(file) {
            Ok(unit) => unit,
            Err(failure) => return vec![(*failure).clone()],
        };
        let outcome = self.run(node, false, |vm| {
            vm.remark(&unit.remarks);
            vm.begin()?;
            vm.inspect(Arc::clone(catalog));
            let result = vm.evaluate_main(std::slice::from_ref(&unit));
            let violations = vm.take_violations();
            Ok::<_, Raise>((violations, result.err().map(Raise::into_diagnostic)))
        });
        match outcome.result {
            Ok((violations, failure)) => {
                let found = violations.iter().map(|violation| self.describe(catalog, violation));
                found.chain(failure.map(|failure| *failure)).collect()
            }
            Err(failure) => vec![*failure],
        }
    }

    /// A violation at the resource that it is about, with the policy as a label; at the policy if the resource is missing.
    fn describe(&self, catalog: &Catalog, violation: &Violation) -> Diagnostic {
        let Violation { severity, message, resource, location } = violation;
        let resource = resource.and_then(|at| catalog.resources.get(at));
        let claim = match resource {
            Some(resource) => format!("{}[{}]: {message}", resource.type_name, resource.title),
            None => message.clone(),
        };
        let mut found = diagnostic!(POLICY_VIOLATED { claim });
        found.severity = *severity;
        match resource.and_then(|resource| self.location_of(resource)) {
            Some(declared) => found.at(declared).label(location.clone(), "the policy"),
            None => found.at(location.clone()),
        }
    }

    /// The line on which a resource was declared.
    fn location_of(&self, resource: &Resource) -> Option<Location> {
        let (file, line) = (resource.file.as_ref()?, resource.line?);
        let unit = self.environment.load(Path::new(file.as_str())).ok()?;
        let source: Source = unit.source.clone();
        let text = source.text();
        let start =
            text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
        let line = text.get(start..)?.lines().next()?;
        let indent = line.len() - line.trim_start().len();
        let start = start + indent;
        let span = Span::new(start as u32, (start + line.trim().len()) as u32);
        Some(Location { source, span })
    }
}
