//! Values that the Ruby type of a module refuses.

use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use kukla::catalog::Catalog;
use kukla::catalog::resource::{Resource, ResourceKind};
use kukla::eval::foreign::RefusalKind;
use kukla::syntax::{Source, diagnostic};
use kukla::values::Value;
use kukla::world::World;
use kukla::{Compiler, Node, Policy, RefusedResource, SiteSpec};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use crate::finding::Finding;
use crate::repository::definition::LiteralResource;
use crate::repository::{Index, Outline};
use crate::rule::rules;

rules! {
    RULES;

    /// The Ruby type of a module refuses a resource, because of a value or of conflicting attributes. `kukla compile --validate`
    /// reports the same for a catalog; this rule covers resources whose attributes are all literals. The message comes from the type.
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

/// A resource to check: its file, the resource, and the digest of its contents.
type Candidate<'o> = (&'o Source, &'o LiteralResource, u64);

/// The refusals of resources that were checked before, by the digests of the resources.
pub type Verdicts = FxHashMap<u64, Option<RefusedResource>>;

/// Resources that their types refuse.
pub fn check(
    (world, policy): &(Arc<dyn World>, Policy),
    index: &Index,
    texts: &[(Source, Arc<Outline>)],
    known: &mut Verdicts,
) -> Vec<Finding> {
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (source, outline) in texts {
        for written in &outline.literal_resources {
            // Defaults elsewhere add attributes to the resources of a type.
            if let Some(path) = index.ruby_type(&written.kind)
                && !index.defaulted.contains(&written.kind)
            {
                candidates.push((source, written, digest(&**world, path, written)));
            }
        }
    }
    let new = candidates.iter().copied().filter(|(_, _, digest)| !known.contains_key(digest));
    // Each thread has its own Ruby interpreter. Resources of one type go to one thread, so that the type is read once.
    let threads = rayon::current_num_threads();
    let mut shares: Vec<Vec<Candidate<'_>>> = vec![Vec::new(); threads];
    let mut kinds: FxHashMap<&str, usize> = FxHashMap::default();
    for one in new {
        let next = kinds.len();
        shares[*kinds.entry(one.1.kind.as_str()).or_insert(next) % threads].push(one);
    }
    shares.retain(|share| !share.is_empty());
    let judged = shares.par_iter().map(|share| judge(world, policy, index, share)).collect::<Vec<_>>();
    for ((_, _, digest), verdict) in shares.iter().flatten().zip(judged.into_iter().flatten()) {
        known.insert(*digest, verdict);
    }
    let finding = |(source, written, digest): &Candidate<'_>| {
        let refused = known.get(digest)?.as_ref()?;
        // Another rule reports unknown attributes, and a failure inside of `munge` may be a gap of our interpreter.
        if matches!(refused.kind, RefusalKind::UnknownParameter | RefusalKind::MungeFailed) {
            return None;
        }
        // Paths of Windows are invalid only on other systems.
        let is_windows = |value: &Value| matches!(value, Value::String(text) if text.get(1..3).is_some_and(|at| at == ":\\" || at == ":/"));
        if written.attributes.iter().any(|(_, value, _)| is_windows(value)) {
            return None;
        }
        let attribute = refused.attribute.as_deref();
        let span = written.attributes.iter().find(|(name, ..)| Some(name.as_str()) == attribute);
        let span = span.map_or(written.span, |(_, _, span)| *span);
        let resource = format!("{}['{}']", written.kind, written.title);
        let problem = refused.diagnostic.message();
        let wrong = diagnostic!(span, REFUSED_RESOURCE { resource, problem });
        Some(Finding::from(wrong.in_source(source)))
    };
    candidates.iter().filter_map(finding).collect()
}

fn digest(world: &dyn World, path: &Path, written: &LiteralResource) -> u64 {
    let mut hasher = FxHasher::default();
    let stamp = world.stamp(path).map(|stamp| (stamp.version, stamp.length));
    (&written.kind, &written.title, path, stamp).hash(&mut hasher);
    written.attributes.iter().for_each(|(name, value, _)| (name, format!("{value:?}")).hash(&mut hasher));
    hasher.finish()
}

/// The refusals of resources by their types, in the order of the resources.
fn judge(
    world: &Arc<dyn World>,
    policy: &Policy,
    index: &Index,
    candidates: &[Candidate<'_>],
) -> Vec<Option<RefusedResource>> {
    let mut verdicts = vec![None; candidates.len()];
    let modulepath = Some(index.survey.modulepath.clone());
    let own_module = index.survey.own_module.clone();
    let spec = SiteSpec { modulepath, own_module, code: Some(String::new()), ..SiteSpec::default() };
    let Ok(site) = Compiler::new(Arc::clone(world)).with_policy(policy.clone()).open_new(&spec) else {
        return verdicts;
    };
    let resources = candidates.iter().map(|(_, written, _)| Resource {
        type_name: written.kind.clone(),
        title: written.title.clone(),
        kind: ResourceKind::CompilableType,
        parameters: written.attributes.iter().map(|(name, value, _)| (name.clone(), value.clone())).collect(),
        ..Resource::default()
    });
    let catalog = Catalog { resources: resources.collect(), ..Catalog::default() };
    for refused in site.validate(&Node::named("check"), &catalog) {
        if let Some(verdict) = verdicts.get_mut(refused.index) {
            *verdict = Some(refused);
        }
    }
    verdicts
}
