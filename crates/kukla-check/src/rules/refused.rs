//! Values that the Ruby type of a module refuses.

use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use kukla::catalog::Catalog;
use kukla::catalog::resource::{Resource, ResourceKind};
use kukla::syntax::{Source, diagnostic};
use kukla::values::{Str, Value};
use kukla::world::World;
use kukla::{Compiler, Node, SiteSpec};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use crate::finding::Finding;
use crate::repository::definition::Written;
use crate::repository::{Index, Outline};
use crate::rule::rules;

rules! {
    RULES;

    /// The Ruby type of a module refuses a resource: because of a value, or of attributes that do not go together. This is what `kukla compile --validate`
    /// says of a catalog, here of resources all of which is written down. The message is the type's.
    ///
    /// Wrong:
    ///
    /// ```ruby
    /// # modules/shop/lib/puppet/type/shelf.rb
    /// Puppet::Type.newtype(:shelf) do
    ///   newparam(:name, namevar: true)
    ///   newproperty(:material) do
    ///     newvalues(:wood, :steel)
    ///   end
    /// end
    /// ```
    ///
    /// ```puppet
    /// shelf { 'left': material => 'stell' }
    /// ```
    ///
    /// Right:
    ///
    /// ```ruby
    /// # modules/shop/lib/puppet/type/shelf.rb
    /// Puppet::Type.newtype(:shelf) do
    ///   newparam(:name, namevar: true)
    ///   newproperty(:material) do
    ///     newvalues(:wood, :steel)
    ///   end
    /// end
    /// ```
    ///
    /// ```puppet
    /// shelf { 'left': material => 'steel' }
    /// ```
    REFUSED_RESOURCE = "refused-resource": Error Always, "`{resource}` is refused: {problem}";
}

/// A resource that a type is asked about: where it stands, what it is, and the number that stands for it.
type Asked<'o> = (&'o Source, &'o Written, u64);

/// What was said of resources before, by what they consist of.
pub type Verdicts = FxHashMap<u64, Option<String>>;

/// Resources that their types refuse.
pub fn check(
    world: &Arc<dyn World>,
    index: &Index,
    texts: &[(Source, Arc<Outline>)],
    known: &mut Verdicts,
) -> Vec<Finding> {
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for (source, outline) in texts {
        for written in &outline.written {
            // What has defaults is more than is written down.
            if let Some(path) = index.ruby_type(&written.kind)
                && !index.defaulted.contains(&written.kind)
            {
                asked.push((source, written, digest(&**world, path, written)));
            }
        }
    }
    let new = asked.iter().copied().filter(|(_, _, digest)| !known.contains_key(digest));
    // Each thread runs Ruby of its own; what is of one type is asked of one of them, so that it is read once.
    let threads = rayon::current_num_threads();
    let mut shares: Vec<Vec<Asked<'_>>> = vec![Vec::new(); threads];
    let mut kinds: FxHashMap<&str, usize> = FxHashMap::default();
    for one in new {
        let next = kinds.len();
        shares[*kinds.entry(one.1.kind.as_str()).or_insert(next) % threads].push(one);
    }
    shares.retain(|share| !share.is_empty());
    let judged = shares.par_iter().map(|share| judge(world, index, share)).collect::<Vec<_>>();
    for ((_, _, digest), verdict) in shares.iter().flatten().zip(judged.into_iter().flatten()) {
        known.insert(*digest, verdict);
    }
    let finding = |(source, written, digest): &Asked<'_>| {
        let problem = known.get(digest)?.as_ref()?;
        // Unknown attributes are told by another rule, and what fails in the middle of Ruby may be ours.
        if problem.contains("no parameter named") || problem.contains("Munging failed") {
            return None;
        }
        // A path of Windows is none here, and is one there.
        let is_windows = |value: &Value| matches!(value, Value::String(text) if text.get(1..3).is_some_and(|at| at == ":\\" || at == ":/"));
        if written.attributes.iter().any(|(_, value, _)| is_windows(value)) {
            return None;
        }
        let span = written
            .attributes
            .iter()
            .find(|(name, ..)| problem.contains(&format!("Parameter {name} failed")));
        let span = span.map_or(written.span, |(_, _, span)| *span);
        let resource = format!("{}['{}']", written.kind, written.title);
        let wrong = diagnostic!(span, REFUSED_RESOURCE { resource, problem });
        Some(Finding::from(wrong.in_source(source)))
    };
    asked.iter().filter_map(finding).collect()
}

fn digest(world: &dyn World, path: &Path, written: &Written) -> u64 {
    let mut hasher = FxHasher::default();
    let stamp = world.stamp(path).map(|stamp| (stamp.version, stamp.length));
    (&written.kind, &written.title, path, stamp).hash(&mut hasher);
    written.attributes.iter().for_each(|(name, value, _)| (name, format!("{value:?}")).hash(&mut hasher));
    hasher.finish()
}

/// What the types say of resources, in their order.
fn judge(world: &Arc<dyn World>, index: &Index, asked: &[Asked<'_>]) -> Vec<Option<String>> {
    let mut verdicts = vec![None; asked.len()];
    let modulepath = Some(index.survey.modulepath.clone());
    let spec = SiteSpec { modulepath, code: Some(String::new()), ..SiteSpec::default() };
    let Ok(site) = Compiler::new(Arc::clone(world)).open_new(&spec) else { return verdicts };
    // The line says which one a verdict is about.
    let resources = asked.iter().zip(0..).map(|((_, written, _), at)| Resource {
        type_name: written.kind.clone(),
        title: written.title.clone(),
        file: Some(Str::from("resources")),
        line: Some(at),
        kind: ResourceKind::CompilableType,
        parameters: written.attributes.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect(),
        ..Resource::default()
    });
    let catalog = Catalog { resources: resources.collect(), ..Catalog::default() };
    for refused in site.validate(&Node::named("check"), &catalog) {
        let at = refused
            .position
            .as_ref()
            .and_then(|place| place.line())
            .and_then(|line| usize::try_from(line).ok());
        if let Some(verdict) = at.and_then(|at| verdicts.get_mut(at)) {
            *verdict = Some(refused.message());
        }
    }
    verdicts
}
