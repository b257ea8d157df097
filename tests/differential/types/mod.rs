//! Resource types against real Puppet: the same attributes, name variables and title patterns.
//!
//! Compared are the types that come with Puppet and its agent packages, and those of modules, which Kukla reads from their
//! Ruby source and runs where it cannot read them. Reading and running must give the same answer, so both are compared wherever both
//! can be had. What Puppet knows of a type it says in a template.
//!
//! On request, values of every sort are then given to every attribute, and both have to take or refuse them, with the same words.
//!
//! * `KUKLA_REFERENCE=command` names a command that, given the argument `rpc`, answers as Puppet does; without it nothing is compared.
//! * `KUKLA_MODULES=directory:directory` names directories of modules.
//! * `KUKLA_VALUES=yes` asks for values as well, more than a hundred thousand for the packaged modules.
//! * `KUKLA_ONLY=name,name` chooses types.

#![allow(clippy::disallowed_methods)] // a test runner reads the disk

mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla::catalog::types::{self, NativeType, Titles};
use kukla::{Compiler, SiteSpec};
use kukla_tests::subject::{Subject, chosen, compared};
use serde_json::{Value, json};

/// What Puppet says of types: one line of JSON for each name in `$names`.
const QUESTION: &str = r#"
  $template = @("END"/L)
    <%- require 'json'
    lines = @names.map do |name|
      begin
        type = Puppet::Type.type(name.to_sym)
        next 'null' if type.nil?
        patterns = begin
          type.title_patterns.map { |regexp, names| [regexp.to_s, names.map { |n| n.first.to_s }] }
        rescue Exception
          []
        end
        JSON.generate(
          'properties' => type.properties.map { |each| each.name.to_s }.uniq.sort,
          'parameters' => type.parameters.map(&:to_s).uniq.sort,
          'namevars' => type.key_attributes.map(&:to_s).uniq.sort,
          'patterns' => patterns,
          'isomorphic' => type.isomorphic? ? true : false,
        )
      rescue Exception => e
        JSON.generate('failed' => e.message)
      end
    end -%>
    <%= lines.join("\n") %>
    | END
  inline_template($template)
"#;

/// Types asked for at once.
const BATCH: usize = 40;

#[test]
fn types_are_those_of_puppet() {
    compared("kukla-tests/types", run);
}

fn run() -> Result<bool, String> {
    let modules = std::env::var("KUKLA_MODULES").unwrap_or_default();
    let modulepath: Vec<PathBuf> =
        modules.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    let compiler = Compiler::default();
    let spec = SiteSpec { modulepath: Some(modulepath.clone()), ..SiteSpec::of("") };
    let site = compiler.open(&spec).map_err(|failure| failure.to_string())?;
    let wanted = chosen();
    let names: Vec<String> =
        names(&modulepath).into_iter().filter(|name| wanted.is_empty() || wanted.contains(name)).collect();
    let reference = Subject::from_environment()?;
    let programs = Arc::default();
    let mut tried = Vec::new();
    let (mut compared, mut open, mut different, mut ran) = (0, 0, 0, 0);
    for batch in names.chunks(BATCH) {
        for (name, theirs) in batch.iter().zip(ask(&reference, &modulepath, batch)?) {
            let ours = site.environment.resource_type(name);
            // A type that Puppet cannot load here has nothing to be compared with.
            let (Some(ours), Value::Object(_)) = (ours, &theirs) else { continue };
            if theirs.get("failed").is_some() {
                continue;
            }
            compared += 1;
            if ours.open {
                open += 1;
                println!("{name}: not read");
                continue;
            }
            tried.push((*ours).clone());
            let theirs = plain(theirs);
            let mut is_different = differs(name, &describe(&ours), &theirs);
            match kukla::extensions::executed_type(&site.environment, &programs, name) {
                Some(executed) => {
                    ran += 1;
                    is_different |= differs(&format!("{name}, run"), &describe(&executed), &theirs);
                }
                None => {
                    println!("{name}: cannot be run");
                    is_different = true;
                }
            }
            different += usize::from(is_different);
        }
    }
    println!("{compared} types compared, {ran} of them run as well: {different} differ, {open} not read");
    let alike = different == 0 && open == 0;
    if std::env::var_os("KUKLA_VALUES").is_none() {
        return Ok(alike);
    }
    let mut tally = values::Tally::default();
    values::compare(&site, &reference, &modulepath, &tried, &mut tally)?;
    let values::Tally { same, different: disputed, open: undecided } = tally;
    println!(
        "{} values tried: {disputed} judged otherwise, {undecided} depend on the machine",
        same + disputed + undecided
    );
    Ok(alike && disputed == 0)
}

/// Whether two descriptions of a type differ; says in what.
fn differs(name: &str, ours: &Value, theirs: &Value) -> bool {
    let keys = ["properties", "parameters", "namevars", "patterns", "isomorphic"];
    let differing = keys.into_iter().filter(|key| ours[key] != theirs[key]);
    let shown = differing.inspect(|key| {
        println!("{name}: {key}\n  ours   {}\n  theirs {}", ours[key], theirs[key]);
    });
    shown.count() > 0
}

/// The types that come with Puppet and those that modules have a file for.
fn names(modulepath: &[PathBuf]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = types::builtin().map(|ty| ty.name.to_owned()).collect();
    let entries = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
    for module in modulepath.iter().flat_map(|path| entries(path)) {
        for file in entries(&module.path().join("lib/puppet/type")) {
            names.extend(
                file.file_name().to_str().and_then(|name| name.strip_suffix(".rb")).map(str::to_owned),
            );
        }
    }
    names
}

fn ask(reference: &Subject, modulepath: &[PathBuf], names: &[String]) -> Result<Vec<Value>, String> {
    let list: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let code = format!("$names = [{}]\n{QUESTION}", list.join(", "));
    let answer = reference.ask("eval", json!({"code": code, "modulepath": modulepath}));
    let text = answer["result"]["value"].as_str().ok_or_else(|| answer["error"]["message"].to_string())?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))).collect()
}

/// Patterns without what Ruby adds when it prints them.
fn plain(mut ty: Value) -> Value {
    for pattern in ty["patterns"].as_array_mut().into_iter().flatten() {
        let text = pattern[0].as_str().unwrap_or_default();
        let inner = text.strip_prefix("(?-mix:").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        pattern[0] = inner.replace("\\/", "/").into();
    }
    ty
}

fn describe(ty: &NativeType) -> Value {
    let whole = |name: &str| json!([["(?m-ix:(.*))", [name]]]);
    let patterns = match &ty.titles {
        Titles::Whole if ty.namevars.len() == 1 => whole(ty.namevars[0]),
        Titles::Whole => json!([]),
        Titles::First => whole(ty.namevars.first().copied().unwrap_or_default()),
        Titles::Path => json!([["(?m-ix:^(/|.+:/|.*[^/])/*\\Z)", ["path"]]]),
        Titles::Patterns(patterns) => {
            patterns.iter().map(|pattern| json!([pattern.regexp, pattern.attributes])).collect()
        }
    };
    let mut namevars = ty.namevars.to_vec();
    namevars.sort_unstable();
    plain(json!({
        "properties": ty.properties,
        "parameters": ty.parameters,
        "namevars": namevars,
        "patterns": patterns,
        "isomorphic": ty.isomorphic,
    }))
}
