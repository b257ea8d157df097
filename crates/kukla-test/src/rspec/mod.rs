//! RSpec suites, run in Kukla's own Ruby interpreter.
//!
//! A file of specs runs in the interpreter of a compilation, so Puppet's classes are there and functions can be called. RSpec's language and
//! rspec-puppet's are written in Ruby (`ruby/`) and in Rust where they compile (`request.rs`) or look at a catalog (`catalog.rs`,
//! `relations.rs`).

mod bench;
mod catalog;
mod facts;
mod fixtures;
mod library;
mod native;
mod relations;
mod request;
mod results;

use std::path::Path;
use std::rc::Rc;

use kukla::Node;
use kukla::syntax::Problem;

use crate::model::{Language, Suite};
use crate::project::Project;
use crate::runner::RunOptions;
use bench::Bench;

/// Runs one file of specs.
pub fn run(project: &Project, file: &Path, options: &RunOptions) -> Suite {
    let mut suite = Suite::new(file, Language::Rspec);
    let bench = Rc::new(Bench::new(project));
    let site = match bench.base_site() {
        Ok(site) => site,
        Err(failure) => return Suite::broken(file, Language::Rspec, Problem::other(failure.to_string())),
    };
    let node = Node::named("rspec.example.com");
    let (outcome, _) = site.run_ruby(&node, None, |ruby| {
        let run = library::start(ruby, &bench, &project.root)
            .and_then(|()| library::run_file(ruby, &project.root, file, &options.filter, options.list));
        Ok(match run {
            Ok(results) => results::read(&results, &mut suite),
            Err(unwind) => suite.problem = Some(results::problem(ruby, *unwind)),
        })
    });
    if let Err(failure) = outcome.result {
        suite.problem.get_or_insert(Problem::other(failure.to_string()));
    }
    suite.compiled = bench.compiled();
    suite
}
