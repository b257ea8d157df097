//! `kukla why`: the origin of an attribute's value.

use kukla::catalog::{Catalog, Resource, ResourceRef};
use kukla::fleet::FleetCompiler;
use kukla::syntax::{Problem, suggest};
use kukla::values::Shown;
use kukla::{CompileOptions, Compiled, provenance};

use super::options::RepositoryOption;
use super::suggestion::with_suggestion;
use super::target::{Target, choose_with_code};
use crate::output::{self, err, out, outln};
use crate::render::failure::{self, ErrorFormat};
use crate::render::position::relative_path;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla why 'File[/etc/motd]' mode --node web1.example.com --facts facts/web1.json
  kukla why 'Class[Ntp]' --facts facts/web1.json              every parameter")]
pub struct Args {
    /// Resource, as Type[title], and an attribute [default: all]. A directory before them is the repository
    #[arg(required = true, num_args = 1..=3, value_names = ["RESOURCE", "ATTRIBUTE"])]
    names: Vec<String>,
    #[command(flatten)]
    repository: RepositoryOption,
    #[command(flatten)]
    target: Target,
}

/// Compiles and explains.
pub fn run(args: &Args) -> CommandResult {
    let (repository, names) = args.repository.split(&args.names);
    let (resource_name, attribute) = match names {
        [resource] => (resource, None),
        [resource, attribute] => (resource, Some(attribute)),
        _ => {
            return Err(
                Problem::invalid("expected a resource and an attribute").help("see `kukla why --help`")
            );
        }
    };
    let fleet_options = args.target.options(repository)?;
    let node = choose_with_code(&fleet_options)?;
    let options = CompileOptions { provenance: true, ..CompileOptions::default() };
    let site = FleetCompiler::new(&fleet_options)?.compiler.open(&node.site);
    let compiled = site.and_then(|site| site.compile_with(&node.node, options).result);
    let Compiled { catalog, provenance: trails, .. } = match compiled {
        Ok(compiled) => compiled,
        Err(failure) => {
            let mut out = String::new();
            failure::render(&mut out, &failure, &node.node.name, ErrorFormat::Human);
            err!("{out}");
            return Ok(ExitKind::Findings);
        }
    };
    let wanted = ResourceRef::parse(resource_name).ok_or_else(|| without_type(resource_name, &catalog))?;
    let is_it = |kind: &str, name: &str| {
        kind.eq_ignore_ascii_case(wanted.type_name()) && same_title(kind, name, wanted.title())
    };
    let known = catalog.resources.iter().find(|resource| is_it(&resource.type_name, &resource.title));
    let trail = trails.iter().flatten().find(|trail| is_it(&trail.type_name, &trail.title));
    let (Some(resource), Some(trail)) = (known, trail) else {
        output::report(&unknown(&wanted, resource_name, &node.node.name, &catalog));
        return Ok(ExitKind::Findings);
    };
    let mut found = false;
    for ((name, trail), (_, value)) in trail.parameters.iter().zip(&resource.parameters) {
        if attribute.is_some_and(|wanted| wanted != name.as_str()) {
            continue;
        }
        found = true;
        let secret = resource.sensitive_parameters.contains(name)
            || trail.as_ref().is_some_and(|trail| provenance::is_secret(trail));
        let shown = if secret { "(not shown)".to_owned() } else { Shown::of(value).to_string() };
        outln!("{}[{}] {name} = {shown}", resource.type_name, resource.title);
        out!("{}", provenance::chain(trail.as_deref(), &|path| relative_path(path).to_owned()));
    }
    match (attribute, found) {
        (Some(attribute), false) => {
            let message = format!("{} has no attribute '{attribute}'", resource_name);
            let names = resource.parameters.iter().map(|(name, _)| name.as_str());
            output::report(&with_suggestion(Problem::not_found(message), attribute, names));
            Ok(ExitKind::Findings)
        }
        _ => Ok(ExitKind::Success),
    }
}

/// The number of titles to suggest.
const SUGGESTED: usize = 5;

/// The problem of an argument that is not a reference, with the resources that may be meant as help.
fn without_type(text: &str, catalog: &Catalog) -> Problem {
    let title = text.to_lowercase();
    let is_near = |one: &&Resource| !title.is_empty() && one.title.to_lowercase().contains(&title);
    let near = catalog.resources.iter().filter(is_near).take(SUGGESTED);
    let near: Vec<String> = near.map(|one| format!("{}[{}]", one.type_name, one.title)).collect();
    let problem = Problem::invalid("invalid resource").on(format!("'{text}'"));
    match near.is_empty() {
        true => problem.help("write it as Type[title]"),
        false => problem.help(format!("write it as Type[title]; did you mean {}?", near.join(", "))),
    }
}

/// The problem of a resource that is not in the catalog, with the nearest ones as help.
fn unknown(wanted: &ResourceRef, text: &str, node: &str, catalog: &Catalog) -> Problem {
    let problem = Problem::not_found(format!("{text} is not in the catalog of {node}"));
    let is_of_type = |one: &&Resource| one.type_name.eq_ignore_ascii_case(wanted.type_name());
    let of_type: Vec<&Resource> = catalog.resources.iter().filter(is_of_type).collect();
    if of_type.is_empty() {
        let types = catalog.resources.iter().map(|one| one.type_name.as_str());
        return match suggest::nearest(wanted.type_name(), types) {
            Some(near) => problem.help(format!("it has resources of the type {near}")),
            None => problem.help(format!("it has no resources of the type {}", wanted.type_name())),
        };
    }
    let title = wanted.title().trim_matches(['\'', '"']).to_lowercase();
    let titles = || of_type.iter().map(|one| one.title.as_str());
    // A part of a title is the commonest mistake: a name for a path.
    let mut near: Vec<&str> = titles().filter(|one| one.to_lowercase().contains(&title)).collect();
    if let Some(similar) = suggest::nearest(wanted.title(), titles()).filter(|one| !near.contains(one)) {
        near.push(similar);
    }
    near.truncate(SUGGESTED);
    let list =
        near.iter().map(|one| format!("{}[{one}]", of_type[0].type_name)).collect::<Vec<_>>().join(", ");
    match near.is_empty() {
        true => problem.help(format!(
            "it has {} other resources of the type {}",
            of_type.len(),
            of_type[0].type_name
        )),
        false => problem.help(format!("did you mean {list}?")),
    }
}

/// Whether a title is the one of the argument; that of a class may be written in any case.
fn same_title(type_name: &str, title: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_matches(['\'', '"']);
    title == wanted || type_name == "Class" && title.eq_ignore_ascii_case(wanted)
}
