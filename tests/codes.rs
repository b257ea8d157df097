//! Every code has an example, and the example breaks that rule and no other.
//!
//! The example is a `puppet` block (or an `epp` one) in the code's explanation, as `kukla explain` prints it. The lines that break the rule
//! are marked `# error` or `# warning`; each is tried without the others, and without those marked `# fine`. A name in backticks with a colon places the next
//! block as a file of the control repository; a `toml` block holds settings.

use std::collections::BTreeSet;

use kukla::syntax::{Code, Diagnostic, Severity, Source, SourcePosition};
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};

/// Codes that no program of a few lines can raise, and why.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("ADDING_TO_NO_VARIABLE", "validation refuses it first"),
    ("ASSIGNMENT_IN_DEFAULT", "validation refuses it first"),
    ("ATTRIBUTES_NO_HASH", "functions refuse it first"),
    ("ATTRIBUTE_GIVEN_TWICE", "occurs with exported resources only"),
    ("BAD_NODE_NAME", "is about a request"),
    ("BAD_REQUEST", "is about a request"),
    ("CANCELLED", "takes a run that someone cancels"),
    ("COLLECTOR_WITHOUT_TYPE", "the grammar refuses it first"),
    ("COMMAND_FAILED", "takes commands that may run"),
    ("COMMAND_NOT_RUN", "takes commands that may run"),
    ("CURL_NOT_RUN", "takes commands that may run"),
    ("DEADLINE_PASSED", "takes a clock"),
    ("DEFINITION_IN_TEMPLATE", "validation refuses it first"),
    ("DUPLICATE_EXPORTED_RESOURCE", "takes a store of exported resources"),
    ("EXPORTS_UNAVAILABLE", "takes a store of exported resources"),
    ("EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING", "takes the setting `tasks`"),
    ("EXTERNAL_RUBY_FAILED", "takes another Ruby"),
    ("FACT_LIMIT", "takes facts in Ruby that do not end"),
    ("FETCH_FAILED", "takes a network"),
    ("FILE_NOT_READABLE", "takes a file that cannot be read"),
    ("FILE_NOT_UTF8", "requires bytes that are not valid UTF-8"),
    ("FORMATS_NO_HASH", "the signature refuses it first"),
    ("FORMAT_FOR_NO_TYPE", "the signature refuses it first"),
    ("HIERA_BACKEND_MULTIPLY_DEFINED", "is about the global layer"),
    ("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", "is about the global layer"),
    ("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", "is about the global layer"),
    ("ILLEGAL_BOM", "takes a character that cannot be seen"),
    ("ILLEGAL_EPP_PARAMETERS", "is about the form of a tree that no text gives any more"),
    ("INSTANCE_OF_NOTHING", "takes a type that only a host can name"),
    ("INTERNAL_ERROR", "is a mistake in Kukla"),
    ("INTERNAL_FAILURE", "is a mistake in Kukla"),
    ("INVALID_LOCAL_REFERENCE", "is about data that others write"),
    ("INVALID_RSA_KEY", "takes a certificate"),
    ("INVALID_UTF8", "requires bytes that are not valid UTF-8"),
    ("KEY_OF_OTHER_CERTIFICATE", "takes a certificate"),
    ("MERGED_DOTTED_KEY", "is about the older functions in the global layer"),
    ("MERGE_TOO_DEEP", "takes very deep data"),
    ("METHOD_NOT_IMPLEMENTED", "takes a type with functions in Ruby"),
    ("MORE_PROBLEMS", "takes a text with very many problems"),
    ("NEITHER_NAME_NOR_REFERENCE", "the signature refuses it first"),
    ("NESTING_TOO_DEEP", "takes a very long text"),
    ("NOT_COMPARABLE", "takes a number that arithmetic refuses"),
    ("NOT_FINITE", "arithmetic refuses it first"),
    ("NOT_ITERABLE", "the signature refuses it first"),
    ("NOT_LOWERED", "the grammar refuses it first"),
    ("NOT_SIGNED_BY_RSA", "takes a certificate"),
    ("NO_ANNOTATION_TYPE", "the signature refuses it first"),
    ("BAD_ANSWERS", "takes files that the command line names"),
    ("NO_ANSWER", "takes files that the command line names"),
    ("BAD_OVERRIDE", "takes files that the command line names"),
    ("NO_OVERRIDDEN_CALL", "takes files that the command line names"),
    ("NO_CURL", "takes commands that may run"),
    ("NO_DATA", "takes a compilation without data"),
    ("NO_DATA_PATH", "is about sources of data without a hierarchy"),
    ("NO_DESCRIBED_TYPE", "is about data that others write"),
    ("NO_LOOKUP_VALUE", "is about sources of data without a hierarchy"),
    ("NO_SHELL", "takes commands that may run"),
    ("NO_TEMPLATE", "is a mistake in Kukla"),
    ("NUMBER_NOT_IN_JSON", "arithmetic refuses it first"),
    ("PARAMETER_WITHOUT_VALUE", "another rule is broken first"),
    ("PARENT_NOT_EVALUATED", "takes classes that include each other in a circle through data"),
    ("POLICY_VIOLATED", "takes policies, which are about finished catalogs"),
    ("READ_TOO_DEEP", "is about data that others write"),
    ("REFUSED_BY_AGENT", "takes the command line to ask for it"),
    ("RUBY_FUNCTION", "takes an environment that runs no Ruby"),
    ("RUBY_TEMPLATE", "takes an environment that runs no Ruby"),
    ("SCRIPT_LIMIT", "is about scripts, not about Puppet code"),
    ("SERIALIZED_TOO_DEEP", "a limit comes first"),
    ("UNSETTLED_EXPORTS", "takes several nodes"),
    ("SOURCE_TOO_LONG", "takes four gigabytes"),
    ("TOO_MANY_DIRECTORIES", "takes very many directories"),
    ("TOO_MANY_ELEMENTS_IN_ALL", "takes a lot of memory"),
    ("TOO_MUCH_TEXT_IN_ALL", "takes a lot of memory"),
    ("UNKNOWN_BINARY_FORMAT", "the signature refuses it first"),
    ("UNKNOWN_CONTAINER_FORMAT", "the signature refuses it first"),
    ("UNKNOWN_DATA_PROVIDER", "takes a setting of Puppet 4"),
    ("UNKNOWN_DATA_TYPE", "is about data that others write"),
    ("UNREADABLE_DATA_FILE", "takes a file that cannot be read"),
    ("UNREADABLE_ENVIRONMENT_CONF", "takes a file that cannot be read"),
    ("UNREADABLE_SIGNATURE", "is a mistake in Kukla"),
];

#[test]
fn examples_break_their_rules() {
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for code in kukla::codes::all() {
        if !names.insert(code.name) {
            wrong.push(format!("{}: there are two codes of this name", code.name));
        }
        let examples = examples(code);
        match WITHOUT_EXAMPLE.iter().find(|(name, _)| *name == code.name) {
            Some(_) if examples.is_empty() => {}
            Some(_) => wrong.push(format!("{}: has an example, but is listed as having none", code.name)),
            None if examples.is_empty() => wrong.push(format!("{}: has no example", code.name)),
            None => {}
        }
        for example in examples {
            if let Err(problem) = example.judge(code) {
                wrong.push(format!("{}, line {}: {problem}", code.name, example.line));
            }
        }
    }
    for (name, _) in WITHOUT_EXAMPLE.iter().filter(|(name, _)| !names.contains(name)) {
        wrong.push(format!("{name}: there is no such code"));
    }
    assert!(wrong.is_empty(), "{} of {} codes:\n{}", wrong.len(), names.len(), wrong.join("\n"));
}

/// A program that breaks a rule, in its control repository.
struct Example {
    files: Vec<(String, String)>,
    settings: Vec<(String, String)>,
    program: String,
    is_template: bool,
    /// The line that breaks it, from one.
    line: u32,
}

fn examples(code: &Code) -> Vec<Example> {
    let text = code.text();
    let mut examples = Vec::new();
    let (mut files, mut settings, mut place) = (Vec::new(), Vec::new(), None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(file) = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:")) {
            place = Some(file.to_owned());
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(file) = place.take() {
            files.push((file, block.join("\n") + "\n"));
            continue;
        }
        if language == "toml" {
            let setting = |line: &&str| {
                line.split_once(" = ")
                    .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
            };
            settings.extend(block.iter().filter_map(setting));
            continue;
        }
        let marked = |line: &str| ["# error", "# warning", "# fine"].iter().any(|mark| line.contains(mark));
        let breaks = |line: &str| marked(line) && !line.contains("# fine");
        for (at, _) in block.iter().enumerate().filter(|(_, line)| breaks(line)) {
            let kept = |(other, line): (usize, &&str)| match other != at && marked(line) {
                true => String::new(),
                false => (*line).to_owned(),
            };
            examples.push(Example {
                files: files.clone(),
                settings: settings.clone(),
                program: block.iter().enumerate().map(kept).collect::<Vec<_>>().join("\n"),
                is_template: language == "epp",
                line: at as u32 + 1,
            });
        }
    }
    examples
}

impl Example {
    fn judge(&self, code: &Code) -> Result<(), String> {
        let (found, warned) = self.run();
        if let Some(found) = found.iter().find(|found| found.is(code)) {
            let line = found.position.as_ref().and_then(SourcePosition::line);
            // Errors of data lie in the data.
            return match line {
                Some(line) if line != self.line && self.files.is_empty() => {
                    Err(format!("is found on line {line}"))
                }
                _ => Ok(()),
            };
        }
        if warned.contains(&code.issue) {
            return Ok(());
        }
        let found: Vec<String> = found.iter().map(|wrong| format!("{} ({wrong})", wrong.code.name)).collect();
        Err(if found.is_empty() { "nothing is wrong".to_owned() } else { format!("is {}", found.join(", ")) })
    }

    /// The error of the program, and the issues of its warnings.
    fn run(&self) -> (Vec<Diagnostic>, Vec<&'static str>) {
        if self.is_template {
            let rules = kukla::analysis::Rules { epp: Some(true), ..Default::default() };
            let source = Source::unnamed(self.program.as_str());
            return (kukla::analysis::Analysis::new(&source, &rules).diagnostics, Vec::new());
        }
        let mut world = MemoryWorld::default().with("/control/manifests/site.pp", self.program.as_str());
        // Data without a configuration is none in an environment.
        world = world.with("/control/hiera.yaml", "version: 5\n");
        for (file, text) in &self.files {
            world = world.with(format!("/control/{file}"), text.as_str());
        }
        let compiler = Compiler::new(world);
        let mut spec = SiteSpec::at("/control");
        for (name, value) in &self.settings {
            spec.settings.set(name, value.as_str().into()).expect("a setting of the example");
        }
        let site = match compiler.open(&spec) {
            Ok(site) => site,
            Err(wrong) => return (vec![*wrong], Vec::new()),
        };
        let compiled = site.compile(&Node::named("web1.example.com"));
        let warned = compiled.logs.iter().filter_map(|log| log.issue).collect();
        let wrong = match compiled.result {
            Ok(catalog) => {
                let cycles = catalog.cycles();
                cycles.iter().map(|cycle| kukla::cycle_diagnostic(cycle, "a", Severity::Warning)).collect()
            }
            Err(wrong) => std::iter::once(&*wrong).chain(&wrong.others).flat_map(causes).collect(),
        };
        (wrong, warned)
    }
}

/// The error and its causes.
fn causes(wrong: &Diagnostic) -> Vec<Diagnostic> {
    std::iter::successors(Some(wrong), |wrong| wrong.cause.as_deref()).cloned().collect()
}
