//! `kukla why`: the origin of an attribute's value.

use kukla::catalog::ResourceRef;
use kukla::fleet::FleetCompiler;
use kukla::syntax::Problem;
use kukla::values::Shown;
use kukla::{CompileOptions, Compiled, provenance};

use super::options::RepositoryOption;
use super::suggestion::with_suggestion;
use super::target::{Target, choose_with_code};
use crate::output::{self, err, out, outln};
use crate::render::failure::{self, ErrorFormat};
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla why 'File[/etc/motd]' mode --node web1.example.com --facts facts/web1.json
  kukla why 'Class[Ntp]' --facts facts/web1.json              every parameter")]
pub struct Args {
    /// Resource, as Type[title]
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// Attribute [default: all]
    attribute: Option<String>,
    #[command(flatten)]
    repository: RepositoryOption,
    #[command(flatten)]
    target: Target,
}

/// Compiles and explains.
pub fn run(args: &Args) -> CommandResult {
    let wanted = ResourceRef::parse(&args.resource).ok_or_else(|| {
        Problem::invalid("invalid resource")
            .on(format!("'{}'", args.resource))
            .help("write it as Type[title]")
    })?;
    let fleet_options = args.target.options(&args.repository.path)?;
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
    let is_it = |kind: &str, name: &str| {
        kind.eq_ignore_ascii_case(wanted.type_name()) && same_title(kind, name, wanted.title())
    };
    let known = catalog.resources.iter().find(|resource| is_it(&resource.type_name, &resource.title));
    let trail = trails.iter().flatten().find(|trail| is_it(&trail.type_name, &trail.title));
    let (Some(resource), Some(trail)) = (known, trail) else {
        let message = format!("{} is not in the catalog of {}", args.resource, node.node.name);
        let names: Vec<String> =
            catalog.resources.iter().map(|one| format!("{}[{}]", one.type_name, one.title)).collect();
        output::report(&with_suggestion(
            Problem::not_found(message),
            &args.resource,
            names.iter().map(String::as_str),
        ));
        return Ok(ExitKind::Findings);
    };
    let mut found = false;
    for ((name, trail), (_, value)) in trail.parameters.iter().zip(&resource.parameters) {
        if args.attribute.as_ref().is_some_and(|wanted| wanted != name.as_str()) {
            continue;
        }
        found = true;
        let secret = resource.sensitive_parameters.contains(name)
            || trail.as_ref().is_some_and(|trail| provenance::is_secret(trail));
        let shown = if secret { "(not shown)".to_owned() } else { Shown::of(value).to_string() };
        outln!("{}[{}] {name} = {shown}", resource.type_name, resource.title);
        out!("{}", provenance::chain(trail.as_deref()));
    }
    match (&args.attribute, found) {
        (Some(attribute), false) => {
            let message = format!("{} has no attribute '{attribute}'", args.resource);
            let names = resource.parameters.iter().map(|(name, _)| name.as_str());
            output::report(&with_suggestion(Problem::not_found(message), attribute, names));
            Ok(ExitKind::Findings)
        }
        _ => Ok(ExitKind::Success),
    }
}

/// Whether a title is the one of the argument; that of a class may be written in any case.
fn same_title(type_name: &str, title: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_matches(['\'', '"']);
    title == wanted || type_name == "Class" && title.eq_ignore_ascii_case(wanted)
}
