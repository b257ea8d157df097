//! Every code has an example, and the example breaks that rule and no other.
//!
//! The example is a `puppet` block (or an `epp` one) in the code's explanation, as `kukla explain` prints it. The lines that break the rule
//! are marked `# error` or `# warning`; each is tried without the others. A name in backticks with a colon places the next
//! block as a file of the control repository.

use std::collections::BTreeSet;

use kukla::syntax::{Code, Diagnostic, Place, Source};
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};

/// Codes that no program of a few lines can raise, and why.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[];

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
            Some(_) => wrong.push(format!("{}: has an example and is said to have none", code.name)),
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
    program: String,
    is_template: bool,
    /// The line that breaks it, from one.
    line: u32,
}

fn examples(code: &Code) -> Vec<Example> {
    let text = code.text();
    let mut examples = Vec::new();
    let (mut files, mut place) = (Vec::new(), None);
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
        let marked = |line: &str| line.contains("# error") || line.contains("# warning");
        for (at, _) in block.iter().enumerate().filter(|(_, line)| marked(line)) {
            let kept = |(other, line): (usize, &&str)| match other != at && marked(line) {
                true => String::new(),
                false => (*line).to_owned(),
            };
            examples.push(Example {
                files: files.clone(),
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
            let line = found.place.as_ref().and_then(Place::line);
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

    /// What is wrong with the program, and the issues of what is warned about.
    fn run(&self) -> (Vec<Diagnostic>, Vec<&'static str>) {
        if self.is_template {
            let rules = kukla::analysis::Rules { epp: Some(true), ..Default::default() };
            let source = Source::unnamed(self.program.as_str());
            return (kukla::analysis::Analysis::new(&source, &rules).diagnostics, Vec::new());
        }
        let mut world = MemoryWorld::default().with("/control/manifests/site.pp", self.program.as_str());
        for (file, text) in &self.files {
            world = world.with(format!("/control/{file}"), text.as_str());
        }
        let compiler = Compiler::new(world);
        let site = match compiler.open(&SiteSpec::at("/control")) {
            Ok(site) => site,
            Err(wrong) => return (vec![*wrong], Vec::new()),
        };
        let compiled = site.compile(&Node::named("web1.example.com"));
        let warned = compiled.logs.iter().filter_map(|log| log.issue).collect();
        let wrong = match compiled.result {
            Ok(_) => Vec::new(),
            Err(wrong) => {
                std::iter::once(&*wrong).chain(&wrong.others).map(|wrong| wrong.root().clone()).collect()
            }
        };
        (wrong, warned)
    }
}
