//! `kukla new`: writes a module, class, defined type, function or test from templates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use kukla::syntax::Problem;
use kukla::syntax::validate::is_module_name;
use kukla::{DiskWorld, Policy, World};
use kukla_test::{Project, ProjectKind};

use crate::output::{outln, write_file};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kukla new module example-ntp           a module in the directory ntp, with a class and a test
  kukla new class ntp::config            manifests/config.pp and tests/config.md of the module ntp
  kukla new define ntp::server
  kukla new function ntp::address
  kukla new test ntp::config             only the test

Templates in `.kukla/templates` of the module or control repository replace the built-in ones: metadata.json, class.pp, define.pp, function.pp,
class.md, define.md, function.md. `{{name}}`, `{{short}}`, `{{module}}` and `{{author}}` are replaced.")]
pub struct Args {
    /// Kind of the thing to write
    kind: Thing,
    /// Its full name, such as `ntp::server`; of a module, AUTHOR-NAME or NAME
    name: String,
    /// Directory of the module [default: the module of the current directory, or NAME for a new module]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// The kind of a thing to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Thing {
    /// A module with a class and a test
    Module,
    /// A class with a test
    Class,
    /// A defined type with a test
    Define,
    /// A function with a test
    Function,
    /// A test of a class
    Test,
}

/// The templates that are built in, by name.
const TEMPLATES: [(&str, &str); 7] = [
    ("metadata.json", include_str!("new/metadata.json")),
    ("class.pp", include_str!("new/class.pp")),
    ("define.pp", include_str!("new/define.pp")),
    ("function.pp", include_str!("new/function.pp")),
    ("class.md", include_str!("new/class.md")),
    ("define.md", include_str!("new/define.md")),
    ("function.md", include_str!("new/function.md")),
];

/// Writes the files.
pub fn run(args: &Args) -> CommandResult {
    let names = Names::parse(args.kind, &args.name)?;
    let root = root(args, &names)?;
    let files = plan(args.kind, &names);
    let templates = template_directories(&root);
    let mut planned = Vec::new();
    for (template, path) in &files {
        let path = root.join(path);
        if path.exists() && !args.force {
            return Err(Problem::new(kukla::ProblemKind::Conflict, "already exists:")
                .on(path.display())
                .help("`--force` replaces it"));
        }
        planned.push((path, names.fill(&read_template(&templates, template)?)));
    }
    for (path, text) in planned {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| Problem::io("create", parent, &error))?;
        }
        write_file(&path, text.as_bytes())?;
        let here = files::current_directory();
        outln!("{}", path.strip_prefix(&here).unwrap_or(&path).display());
    }
    Ok(ExitKind::Success)
}

/// The parts of a name.
struct Names {
    author: String,
    module: String,
    /// The full name: `ntp::server`.
    full: String,
    /// The segments behind the module: `server`; none for a class with the module's name.
    inner: Vec<String>,
}

impl Names {
    fn parse(kind: Thing, name: &str) -> Result<Names, Problem> {
        let invalid =
            |why: &str| Err(Problem::invalid("invalid name").on(format!("'{name}'")).because(why.to_owned()));
        let (author, rest) = match (kind, name.split_once(['-', '/'])) {
            (Thing::Module, Some((author, rest))) => (author, rest),
            _ => ("example", name),
        };
        let segments: Vec<&str> = rest.split("::").collect();
        if !segments.iter().all(|segment| is_module_name(segment)) {
            return invalid(
                "a segment begins with a lower-case letter and has lower-case letters, digits and underscores",
            );
        }
        if kind == Thing::Module && segments.len() > 1 {
            return invalid("a module has one segment");
        }
        if matches!(kind, Thing::Define | Thing::Function) && segments.len() < 2 {
            return invalid("the first segment is the module, as in `ntp::server`");
        }
        let all: Vec<String> = segments.iter().map(|segment| (*segment).to_owned()).collect();
        let (module, inner) = match all.split_first() {
            Some((module, inner)) => (module.clone(), inner.to_vec()),
            None => return invalid("it is empty"),
        };
        Ok(Names { author: author.to_owned(), module, full: all.join("::"), inner })
    }

    fn fill(&self, template: &str) -> String {
        let short = self.inner.last().unwrap_or(&self.module);
        template
            .replace("{{name}}", &self.full)
            .replace("{{short}}", short)
            .replace("{{module}}", &self.module)
            .replace("{{author}}", &self.author)
    }

    /// The path of the file for the name, without ending.
    fn file(&self) -> String {
        if self.inner.is_empty() { "init".into() } else { self.inner.join("/") }
    }

    /// The name of the file of tests.
    fn test(&self) -> String {
        let stem = if self.inner.is_empty() { self.module.clone() } else { self.inner.join("_") };
        format!("tests/{stem}.md")
    }
}

/// The templates to fill, and the files that they become.
fn plan(kind: Thing, names: &Names) -> Vec<(&'static str, String)> {
    let manifest = format!("manifests/{}.pp", names.file());
    let test = names.test();
    match kind {
        Thing::Module => {
            vec![("metadata.json", "metadata.json".into()), ("class.pp", manifest), ("class.md", test)]
        }
        Thing::Class => vec![("class.pp", manifest), ("class.md", test)],
        Thing::Define => vec![("define.pp", manifest), ("define.md", test)],
        Thing::Function => {
            vec![("function.pp", format!("functions/{}.pp", names.file())), ("function.md", test)]
        }
        Thing::Test => vec![("class.md", test)],
    }
}

/// The directory of the module.
fn root(args: &Args, names: &Names) -> Result<PathBuf, Problem> {
    if let Some(path) = &args.path {
        return Ok(path.clone());
    }
    if args.kind == Thing::Module {
        return Ok(files::current_directory().join(&names.module));
    }
    let world: Arc<dyn World> = Arc::new(DiskWorld::default());
    let project = Project::locate(&world, &files::current_directory(), &Policy::default());
    match &project.kind {
        ProjectKind::Module(own) if own.name == names.module => Ok(project.root),
        ProjectKind::Module(own) => Err(Problem::invalid("the name belongs to another module:")
            .on(format!("'{}'", names.full))
            .because(format!("this is the module {}", own.name))
            .help("`--path` names another directory")),
        ProjectKind::Control => {
            let candidates =
                ["site-modules", "site", "modules"].map(|name| project.root.join(name).join(&names.module));
            candidates.into_iter().find(|path| path.is_dir()).ok_or_else(|| {
                Problem::not_found("no module")
                    .on(&names.module)
                    .help("`kukla new module` writes one; `--path` names its directory")
            })
        }
        ProjectKind::Plain => Err(Problem::not_found("no module around")
            .on(project.root.display())
            .help("`kukla new module` writes one; `--path` names its directory")),
    }
}

/// The directories that may have templates: in the module and in the repository around it.
fn template_directories(root: &Path) -> Vec<PathBuf> {
    let here = files::current_directory().join(root);
    here.ancestors().map(|directory| directory.join(".kukla/templates")).collect()
}

fn read_template(directories: &[PathBuf], name: &str) -> Result<String, Problem> {
    if let Some(path) = directories.iter().map(|directory| directory.join(name)).find(|path| path.is_file()) {
        return files::read_text(&path);
    }
    let built_in = TEMPLATES.iter().find(|(own, _)| *own == name);
    built_in
        .map(|(_, text)| (*text).to_owned())
        .ok_or_else(|| Problem::not_found("unknown template").on(name))
}
