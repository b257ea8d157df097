//! Properties: every input that the types of a class or defined type allow gives a catalog.
//!
//! Parameters are generated from their declared types, facts come from the fact sets that the module supports. An input is a failure if it passes
//! the types and then ends in an error, in a dependency cycle or in a violation of a policy; `fail()` in the code is a refusal, not a failure.
//! A failing input is made smaller as long as it fails in the same way.

mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kukla::eval::program::{Definition, Params};
use kukla::eval::programs::{Dialect, Programs};
use kukla::facts::machine::FactSet;
use kukla::policies::Policies;
use kukla::syntax::validate::Rules;
use kukla::syntax::{Problem, Source};
use kukla::values::{Hash, Shown, Type};
use kukla::{Compiler, Diagnostic, Node, Site, SiteSpec, Value};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use self::values::Generator;
use crate::chapters::matrix;
use crate::coverage::CoverageReport;
use crate::model::{Example, Failure, Language, Suite, Verdict};
use crate::project::{Project, ProjectKind};
use crate::runner::RunOptions;

/// How many inputs are generated, and from which seed.
#[derive(Clone, Copy, Debug)]
pub struct GenerateOptions {
    /// The number of inputs of each class and defined type.
    pub count: usize,
    /// The seed: the same one gives the same inputs.
    pub seed: u64,
}

/// A class or defined type with the types of its parameters.
struct Subject {
    name: String,
    is_define: bool,
    line: u32,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    /// The type; none if it cannot be resolved.
    ty: Option<Type>,
    has_default: bool,
}

/// One generated input.
#[derive(Clone, Debug)]
struct Input {
    facts: Option<FactSet>,
    parameters: Hash,
}

/// The title of a generated resource.
const TITLE: &str = "generated";

/// Generates inputs for the classes and defined types of a module that are not private; each of them is one example.
pub fn run(
    project: &Project,
    policies: &[PathBuf],
    generate: GenerateOptions,
    options: &RunOptions,
) -> Vec<Suite> {
    let policies = match Policies::find(&*project.world, policies) {
        Ok(policies) => policies,
        Err(problem) => return vec![Suite::broken(&project.root, Language::Policy, problem)],
    };
    let systems = systems(project);
    let files: Vec<PathBuf> = CoverageReport::own_manifests(project);
    let suites = files.par_iter().map(|file| {
        let mut suite = Suite::new(file, Language::Property);
        for subject in subjects(project, file) {
            let mut example = example(&subject, generate);
            if !options.filter.includes(&example.full_name()) {
                continue;
            }
            let property = Property { project, subject: &subject, policies: &policies, systems: &systems };
            example.verdict = property.check(generate);
            suite.compiled += generate.count;
            suite.examples.push(example);
        }
        suite
    });
    suites.collect::<Vec<_>>().into_iter().filter(|suite| !suite.examples.is_empty()).collect()
}

fn example(subject: &Subject, generate: GenerateOptions) -> Example {
    Example {
        groups: vec![subject.name.clone()],
        name: "compiles with all that its types allow".into(),
        case: None,
        line: subject.line as usize,
        verdict: Verdict::Passed,
        claims: generate.count,
        time: Duration::ZERO,
    }
}

/// The fact sets that a module supports; of other projects, one of each family.
fn systems(project: &Project) -> Vec<FactSet> {
    let supported = matrix::supported(project).unwrap_or_default();
    let sets: Vec<FactSet> = supported.iter().filter_map(|case| FactSet::named(&case.name)).collect();
    match sets.is_empty() {
        true => {
            ["debian-12", "redhat-9", "ubuntu-24.04"].iter().filter_map(|name| FactSet::named(name)).collect()
        }
        false => sets,
    }
}

/// The classes and defined types in a manifest.
fn subjects(project: &Project, file: &Path) -> Vec<Subject> {
    let Ok(bytes) = project.world.read(file) else { return Vec::new() };
    let source = Source::new(file.display().to_string(), String::from_utf8_lossy(&bytes).as_ref());
    let Ok(program) = Programs::default().read(&source, Dialect::Manifest, &Rules::default()) else {
        return Vec::new();
    };
    let subject = |definition: &Definition| {
        let (name, is_define, params, span, private) = match definition {
            Definition::Class(class) => (class.name, false, &class.params, class.span, class.private),
            Definition::Define(define) => (define.name, true, &define.params, define.span, define.private),
            _ => return None,
        };
        let is_private = private || program.text.contains("assert_private(");
        (!is_private).then(|| Subject {
            name: name.to_string(),
            is_define,
            line: source.line_column(span.start).line,
            parameters: parameters(project, params, source.text()),
        })
    };
    program.definitions.iter().filter_map(subject).collect()
}

fn parameters(project: &Project, params: &Params, text: &str) -> Vec<Parameter> {
    let parameter = |param: &kukla::eval::program::Param| {
        let written = param.ty.as_ref().map_or("Any", |ty| &text[ty.expr.span.range()]);
        let site = project.compiler.open(&SiteSpec { code: Some(written.to_owned()), ..spec(project) });
        let value = site.ok().and_then(|site| site.eval(&Node::named("types")).result.ok());
        let ty = match value {
            Some(Value::Type(ty)) => Some((*ty).clone()),
            _ => None,
        };
        Parameter { name: param.name.to_string(), ty, has_default: param.default.is_some() }
    };
    params.iter().map(parameter).collect()
}

/// The site of the project, with nothing in its manifest.
fn spec(project: &Project) -> SiteSpec {
    let mut spec =
        SiteSpec { code: Some(String::new()), basemodulepath: String::new(), ..SiteSpec::default() };
    match &project.kind {
        ProjectKind::Module(own) => {
            spec.modulepath = Some(project.modulepath.clone());
            spec.own_module = Some(own.clone());
        }
        ProjectKind::Control | ProjectKind::Plain => spec.environment_root = Some(project.root.clone()),
    }
    spec
}

struct Property<'p> {
    project: &'p Project,
    subject: &'p Subject,
    policies: &'p Policies,
    systems: &'p [FactSet],
}

impl Property<'_> {
    fn check(&self, generate: GenerateOptions) -> Verdict {
        if let Some(open) = self.subject.parameters.iter().find(|one| one.ty.is_none() && !one.has_default) {
            return Verdict::Skipped(format!("the type of ${} is unknown", open.name));
        }
        let compiler = &self.project.compiler;
        let site = match self.open(compiler) {
            Ok(site) => site,
            Err(failure) => {
                return Verdict::Failed(vec![Failure {
                    diagnostic: Some(failure),
                    ..Failure::new("the site cannot be opened")
                }]);
            }
        };
        for number in 0..generate.count {
            let seed = generate.seed.wrapping_add(number as u64);
            let Some(input) = self.input(seed) else {
                return Verdict::Skipped(
                    "no value of a type with a pattern is known; give the parameter a default".into(),
                );
            };
            if let Some(failure) = self.failure(&site, &input) {
                let (input, failure) = self.shrink(&site, input, failure);
                return Verdict::Failed(vec![self.report(&input, *failure, seed)]);
            }
        }
        Verdict::Passed
    }

    fn open(&self, compiler: &Compiler) -> Result<Arc<Site>, Box<Diagnostic>> {
        let mut spec = spec(self.project);
        if self.subject.is_define {
            let name = &self.subject.name;
            spec.code = Some(format!("create_resources('{name}', {{ '{TITLE}' => $generated }})"));
        }
        compiler.open_new(&spec)
    }

    /// The input of a seed.
    fn input(&self, seed: u64) -> Option<Input> {
        let mut generator = Generator::new(seed);
        let facts = generator.choose(self.systems).copied();
        let mut parameters = Hash::new();
        for Parameter { name, ty, has_default } in &self.subject.parameters {
            // Half of the parameters with a default keep it.
            let Some(ty) = ty.as_ref().filter(|_| !has_default || generator.flip()) else { continue };
            match generator.value(ty, 0) {
                Some(value) => drop(parameters.insert(name.as_str(), value)),
                None if *has_default => {}
                None => return None,
            }
        }
        Some(Input { facts, parameters })
    }

    /// The error that an input ends in, unless the code refuses it.
    fn failure(&self, site: &Site, input: &Input) -> Option<Box<Diagnostic>> {
        let mut node =
            Node::named(input.facts.map_or_else(|| "generated".to_owned(), |set| set.default_node()));
        if let Some(set) = input.facts {
            node.facts = set.facts(&node.name);
        }
        match self.subject.is_define {
            true => drop(node.variables.insert("generated", Value::Hash(input.parameters.clone()))),
            false => node.classes.push((self.subject.name.clone(), Some(input.parameters.clone()))),
        }
        let catalog = match site.compile(&node).result {
            Ok(catalog) => catalog,
            Err(failure) if is_refusal(&failure) => return None,
            Err(failure) => return Some(failure),
        };
        let violations = site.check_policies(&node, &catalog, self.policies);
        violations.into_iter().find(Diagnostic::is_error).map(Box::new)
    }

    /// A smaller input that fails in the same way.
    fn shrink(
        &self,
        site: &Site,
        mut input: Input,
        mut failure: Box<Diagnostic>,
    ) -> (Input, Box<Diagnostic>) {
        let same = |one: &Diagnostic, other: &Diagnostic| {
            one.root().code.name == other.root().code.name
                && one.location().map(|at| at.line()) == other.location().map(|at| at.line())
        };
        loop {
            let smaller = self.smaller(&input).into_iter().find_map(|candidate| {
                let found = self.failure(site, &candidate)?;
                same(&found, &failure).then_some((candidate, found))
            });
            match smaller {
                Some((candidate, found)) => (input, failure) = (candidate, found),
                None => return (input, failure),
            }
        }
    }

    /// Inputs that are smaller by one step.
    fn smaller(&self, input: &Input) -> Vec<Input> {
        let mut all = Vec::new();
        for parameter in &self.subject.parameters {
            let Some(value) = input.parameters.get(parameter.name.as_str()) else { continue };
            if parameter.has_default {
                let mut parameters = input.parameters.clone();
                parameters.remove(parameter.name.as_str());
                all.push(Input { facts: input.facts, parameters });
            }
            let Some(ty) = &parameter.ty else { continue };
            for simpler in values::simpler(value).into_iter().filter(|simpler| ty.contains(simpler)) {
                let mut parameters = input.parameters.clone();
                parameters.insert(parameter.name.as_str(), simpler);
                all.push(Input { facts: input.facts, parameters });
            }
        }
        let first = self.systems.first().copied();
        if input.facts != first {
            all.push(Input { facts: first, parameters: input.parameters.clone() });
        }
        all
    }

    fn report(&self, input: &Input, failure: Diagnostic, seed: u64) -> Failure {
        let mut source = match self.subject.is_define {
            true => format!("{} {{ '{TITLE}':", self.subject.name),
            false => format!("class {{ '{}':", self.subject.name),
        };
        for (name, value) in &input.parameters {
            source.push_str(&format!(
                "\n  {} => {},",
                Shown::of(name).to_string().trim_matches('\''),
                Shown::of(value)
            ));
        }
        source.push_str("\n}");
        Failure {
            source: Some(source),
            got: Some(failure.to_string()),
            facts: input.facts.iter().map(|set| ("fact set".to_owned(), set.name())).collect(),
            diagnostic: Some(Box::new(failure)),
            ..Failure::new(format!("an input that the types allow fails; `--seed {seed}` begins with it"))
        }
    }
}

/// Whether the code refuses an input on purpose.
fn is_refusal(failure: &Diagnostic) -> bool {
    std::iter::successors(Some(failure), |one| one.cause.as_deref())
        .any(|one| one.root().code.name == "FAIL_CALLED")
}

/// The seed of a run that names none: always the same one, so that a run can be repeated.
pub const DEFAULT_SEED: u64 = 1;

/// A problem of the options.
pub fn check(options: GenerateOptions) -> Result<(), Problem> {
    match options.count {
        0 => Err(Problem::invalid("--generate requires a number greater than 0")),
        _ => Ok(()),
    }
}
