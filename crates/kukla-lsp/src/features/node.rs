//! The chosen node: its facts, and the values that it gets from data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::facts::FactFile;
use kukla::fleet::{FleetCompiler, FleetOptions, FleetSetup, SiteNode};
use kukla::hiera::{LookupRequest, ValueOrigin};
use kukla::values::{Shown, Value};
use kukla::world::World;
use kukla::{LookupContext, Site};
use kukla_check::repository::Shape;

use crate::features::documentation::shorten;
use crate::view::View;

/// The value of a fact on the chosen node, and the name of the node.
pub fn fact(view: &View<'_>, path: &str) -> Option<(String, Value)> {
    let node = view.session.settings.node.as_ref()?;
    let facts = facts(view, node)?;
    let mut steps = path.split('.');
    let mut value = facts.facts.get(steps.next()?)?.clone();
    for step in steps {
        value = value.as_hash()?.get(step)?.clone();
    }
    Some((node.clone(), value))
}

/// The value of a fact on the chosen node, or on the first one with facts: to know the keys of structured facts. All facts for an empty path.
pub fn fact_value(view: &View<'_>, path: &str) -> Option<Value> {
    let root = &view.index()?.survey.root;
    let names = view.session.world.list(&root.join("facts")).into_iter();
    let mut nodes = names.filter_map(|entry| Some(Path::new(&entry.name).file_stem()?.to_str()?.to_owned()));
    let node = view.session.settings.node.clone().or_else(|| nodes.next())?;
    let mut value: Value = facts(view, &node)?.facts.into();
    for step in path.split('.').filter(|step| !step.is_empty()) {
        value = value.as_hash()?.get(step)?.clone();
    }
    Some(value)
}

/// The facts of a node, from the directory `facts` of the repository.
fn facts(view: &View<'_>, node: &str) -> Option<FactFile> {
    let root = &view.index()?.survey.root;
    let directory = root.join("facts");
    let world = &*view.session.world;
    let names = world.list(&directory).into_iter().map(|entry| entry.name);
    let mut own = names.filter(|name| PathBuf::from(name).file_stem().is_some_and(|stem| stem == node));
    own.find_map(|name| {
        let bytes = world.read(&directory.join(&name)).ok()?;
        FactFile::parse(&bytes, &name).ok()?.into_iter().next()
    })
}

/// A value from data.
#[derive(Clone, Debug)]
pub struct DataValue {
    /// The node that gets it.
    pub node: String,
    /// The value, shortened.
    pub text: String,
    /// Where it comes from, in words.
    pub origin: String,
}

/// The value that data has for a key on the chosen node.
pub fn data(view: &View<'_>, key: &str) -> Option<DataValue> {
    let (site, node) = open(view)?;
    data_of(&site, &node, key)
}

/// The value that data has for a key on a node of an open site.
pub fn data_of(site: &Site, node: &SiteNode, key: &str) -> Option<DataValue> {
    let request = LookupRequest::key(key);
    let hit = site.lookup(&node.node, &request, LookupContext::default()).result.ok()?.found.ok()?;
    let place = |origin: &Arc<ValueOrigin>| {
        let file = origin.location.as_ref()?;
        let line = origin.line.map(|line| format!(":{line}")).unwrap_or_default();
        let name = file.rsplit("/data/").next().unwrap_or(file);
        Some(format!("`{name}{line}`"))
    };
    let places: Vec<String> = hit.origins.iter().filter_map(place).collect();
    let origin = if places.is_empty() { String::new() } else { format!(", from {}", places.join(", ")) };
    let is_secret = hit.origins.iter().any(|origin| origin.encrypted);
    let text = if is_secret { "(not shown)".into() } else { Shown::of(&hit.value).to_string() };
    let text = shorten(&text, 120).replace('`', "'");
    Some(DataValue { node: node.node.name.clone(), text, origin })
}

/// The site and the chosen node, if the repository has nodes.
pub fn open(view: &View<'_>) -> Option<(Arc<Site>, SiteNode)> {
    let survey = &view.index()?.survey;
    let name = view.session.settings.node.clone().filter(|_| survey.shape == Shape::Control)?;
    let world: Arc<dyn World> = Arc::clone(&view.session.world) as Arc<dyn World>;
    let mut options = FleetOptions::in_world(survey.root.clone(), world);
    options.node = Some(name);
    let chosen = FleetSetup::read(&options).ok()?.choose().ok()?;
    let site = FleetCompiler::new(&options).ok()?.compiler.open(&chosen.node.site).ok()?;
    Some((site, chosen.node))
}
