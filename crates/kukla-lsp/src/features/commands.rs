//! Commands that run code: the catalog of a node, the effect of unsaved changes on all nodes, the origin of a value. Each runs on its own
//! thread with the texts as they are when it begins, so that the editor never waits for it.

use std::path::PathBuf;
use std::sync::Arc;

use kukla::catalog::ResourceRef;
use kukla::fleet::{CompareOptions, FleetComparison, FleetCompiler, FleetOptions, FleetSetup, FleetSide};
use kukla::values::Shown;
use kukla::world::World;
use kukla::{CompileOptions, provenance};
use kukla_check::repository::Shape;
use lsp_server::RequestId;
use lsp_types::ExecuteCommandParams;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::outbox::Refusal;
use crate::server::Draw;
use crate::session::Session;
use crate::uris::path_of;

/// The names of the commands.
pub const NAMES: &[&str] =
    &["kukla.compile", "kukla.diff", "kukla.why", "kukla.preview", "kukla.explain", "kukla.setNode"];

/// The arguments of a command: one object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    /// A file of the repository; by default the first repository counts.
    uri: Option<lsp_types::Uri>,
    /// The node; by default the one that was chosen.
    node: Option<String>,
    /// A resource, as `Type[title]`.
    resource: Option<String>,
    /// An attribute of it; by default all.
    attribute: Option<String>,
    /// The name of a rule or error code.
    rule: Option<String>,
}

type Answer = Result<Value, Refusal>;

/// Carries a command out. The answer is `None` if it comes later, from another thread.
pub fn execute(session: &mut Session, id: &RequestId, params: ExecuteCommandParams) -> Option<Answer> {
    let first = params.arguments.into_iter().next().unwrap_or_else(|| json!({}));
    let arguments: Arguments = match serde_json::from_value(first) {
        Ok(arguments) => arguments,
        Err(error) => return Some(Err(Refusal::invalid(error.to_string()))),
    };
    let run: fn(&Job) -> Answer = match params.command.as_str() {
        "kukla.compile" => compile,
        "kukla.diff" => diff,
        "kukla.why" => why,
        "kukla.preview" => preview,
        "kukla.explain" => return Some(explain(&arguments)),
        "kukla.setNode" => {
            session.settings.node = arguments.node;
            return Some(Ok(Value::Null));
        }
        other => return Some(Err(Refusal::invalid(format!("unknown command {other}")))),
    };
    let root = match root(session, &arguments) {
        Ok(root) => root,
        Err(refusal) => return Some(Err(refusal)),
    };
    let node = arguments.node.clone().or_else(|| session.settings.node.clone());
    let (world, disk, draw) = (session.world.freeze(), session.world.disk(), session.draw);
    let job = Job { world, disk, root, node, arguments, draw };
    let (outbox, open, own) = (session.outbox.clone(), session.open.clone(), id.clone());
    let thread = std::thread::Builder::new().name(params.command).stack_size(16 << 20);
    let started = thread.spawn(move || {
        let answer = kukla::syntax::contain(|| run(&job));
        let answer =
            answer.unwrap_or_else(|panic| Err(Refusal::failed(format!("a mistake in Kukla: {panic}"))));
        let answer = if open.is_cancelled(&own) { Err(Refusal::cancelled()) } else { answer };
        open.remove(&own);
        outbox.respond(own, answer);
    });
    started.err().map(|error| Err(Refusal::failed(format!("cannot start a thread: {error}"))))
}

/// The root of the control repository that a command is about.
fn root(session: &mut Session, arguments: &Arguments) -> Result<PathBuf, Refusal> {
    if let Some(uri) = &arguments.uri {
        let view = session.view(&path_of(uri))?;
        let control = view.analysis.filter(|analysis| analysis.shape == Shape::Control);
        return control
            .map(|analysis| analysis.root.clone())
            .ok_or_else(|| Refusal::failed("the file is not part of a control repository"));
    }
    let control = session.analyses().iter().find(|analysis| analysis.shape == Shape::Control);
    control
        .map(|analysis| analysis.root.clone())
        .ok_or_else(|| Refusal::failed("no control repository is open"))
}

/// The input of a command.
struct Job {
    world: Arc<dyn World>,
    disk: Arc<dyn World>,
    root: PathBuf,
    node: Option<String>,
    arguments: Arguments,
    draw: Option<Draw>,
}

impl Job {
    fn options(&self, world: &Arc<dyn World>) -> FleetOptions {
        FleetOptions::in_world(self.root.clone(), Arc::clone(world))
    }

    /// The catalog of the node.
    fn compiled(&self, provenance: bool) -> Result<(String, kukla::Compiled), Refusal> {
        let failed = |error: &dyn std::fmt::Display| Refusal::failed(error.to_string());
        let mut options = self.options(&self.world);
        options.node = self.node.clone();
        let setup = FleetSetup::read(&options).map_err(|problem| failed(&problem.with_help()))?;
        let chosen = setup.choose().map_err(|problem| failed(&problem.with_help()))?;
        let compiler = FleetCompiler::new(&options).map_err(|problem| failed(&problem.with_help()))?.compiler;
        let site = compiler.open(&chosen.node.site).map_err(|error| failed(&error))?;
        let options = CompileOptions { provenance, ..CompileOptions::default() };
        let compiled =
            site.compile_with(&chosen.node.node, options).result.map_err(|error| failed(&error))?;
        Ok((chosen.node.node.name.clone(), compiled))
    }
}

/// `kukla.compile`: the catalog of a node, with the open texts.
fn compile(job: &Job) -> Answer {
    let (node, compiled) = job.compiled(false)?;
    let text = compiled.catalog.without_virtual().to_json();
    let catalog: Value = serde_json::from_str(&text).map_err(|error| Refusal::failed(error.to_string()))?;
    Ok(json!({"node": node, "catalog": catalog}))
}

/// `kukla.preview`: the graph of the catalog of a node, as SVG.
fn preview(job: &Job) -> Answer {
    let draw = job.draw.ok_or_else(|| Refusal::failed("this program cannot draw"))?;
    let (node, compiled) = job.compiled(false)?;
    Ok(json!({"node": node, "svg": draw(&compiled.catalog.without_virtual().graph())}))
}

/// `kukla.diff`: the effect of the unsaved changes on the catalogs of all nodes.
fn diff(job: &Job) -> Answer {
    let before = FleetSide::new("saved", job.options(&job.disk));
    let after = FleetSide::new("edited", job.options(&job.world));
    let comparison = FleetComparison::open(&before, &after)
        .map_err(|problem| Refusal::failed(problem.with_help().to_string()))?;
    let difference = comparison.compare(&CompareOptions::default(), &());
    let difference = difference.map_err(|error| Refusal::failed(error.to_string()))?;
    Ok(kukla::diff::document(&difference))
}

/// `kukla.why`: where the attributes of a resource get their values.
fn why(job: &Job) -> Answer {
    let text = job.arguments.resource.as_deref().unwrap_or_default();
    let wanted = ResourceRef::parse(text)
        .ok_or_else(|| Refusal::invalid(format!("invalid resource '{text}': write it as Type[title]")))?;
    let (node, compiled) = job.compiled(true)?;
    let is_it = |kind: &str, title: &str| {
        kind.eq_ignore_ascii_case(wanted.type_name())
            && (title == wanted.title() || kind == "Class" && title.eq_ignore_ascii_case(wanted.title()))
    };
    let mut resources = compiled.catalog.resources.iter();
    let resource = resources.find(|one| is_it(&one.type_name, &one.title));
    let trails = compiled.provenance.iter().flatten();
    let trail = trails.into_iter().find(|one| is_it(&one.type_name, &one.title));
    let (Some(resource), Some(trail)) = (resource, trail) else {
        return Err(Refusal::failed(format!("{text} is not in the catalog of {node}")));
    };
    let mut attributes = Vec::new();
    for ((name, trail), (_, value)) in trail.parameters.iter().zip(&resource.parameters) {
        if job.arguments.attribute.as_deref().is_some_and(|wanted| wanted != name.as_str()) {
            continue;
        }
        let is_secret = resource.sensitive_parameters.contains(name)
            || trail.as_ref().is_some_and(|trail| provenance::is_secret(trail));
        let value = if is_secret { "(not shown)".to_owned() } else { Shown::of(value).to_string() };
        let root = format!("{}/", job.root.display());
        let chain = provenance::chain(trail.as_deref(), &|path| path.trim_start_matches(&root).to_owned());
        attributes.push(json!({"name": name.as_str(), "value": value, "origin": chain}));
    }
    Ok(json!({"node": node, "resource": text, "attributes": attributes}))
}

/// `kukla.explain`: the explanation of a rule or error code.
fn explain(arguments: &Arguments) -> Answer {
    let name = arguments.rule.as_deref().unwrap_or_default();
    let code = kukla::codes::all().find(|code| code.name == name);
    let rule = || kukla_check::rules::find(name).map(|rule| rule.code);
    let check = || kukla::lint::rules::find(name).map(|rule| rule.code);
    match code.or_else(rule).or_else(check) {
        Some(code) => Ok(json!({"name": code.name, "text": code.text()})),
        None => Err(Refusal::invalid(format!("unknown rule '{name}'"))),
    }
}
