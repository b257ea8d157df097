//! `kukla parse`: what a file looks like to the compiler, stage by stage.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use kukla::analysis::{Analysis, Rules};
use kukla::syntax::Source;
use kukla::syntax::pn::Pn;
use kukla::syntax::tree::{Node, Tree};

use crate::output::{err, errln, out, outln};
use crate::render::{self, Findings};
use crate::{Outcome, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files; `-` is standard input
    #[arg(required_unless_present = "code")]
    files: Vec<PathBuf>,
    /// Parse this text instead of a file
    #[arg(short = 'e', long = "execute", value_name = "CODE", conflicts_with = "files")]
    code: Option<String>,
    /// How to print the tree
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Spread PN or JSON over several lines
    #[arg(long)]
    pretty: bool,
    /// Read the text as a template, whatever its name
    #[arg(long)]
    epp: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// PN, Puppet's notation for syntax trees, as `puppet parser dump --format pn` prints it
    #[default]
    Pn,
    /// PN as JSON
    Json,
    /// Every node with its kind and place, tokens with their text
    Tree,
    /// The tokens only, one per line
    Tokens,
}

/// Parses the files and prints their trees.
pub fn run(args: &Args) -> Outcome {
    if args.pretty && args.format.shows_errors() {
        return Outcome::unable(
            "--pretty is for PN and JSON; the other formats have a line for each part anyway",
        );
    }
    let sources = match &args.code {
        Some(code) => vec![Ok((Source::new("-e", code.as_str()), None))],
        None => args.files.iter().map(|path| files::read(path)).collect(),
    };
    let several = sources.len() > 1;
    let rules = Rules { epp: args.epp.then_some(true), here: files::current_directory(), ..Rules::default() };
    let mut outcome = Outcome::Done;
    for source in sources {
        let (source, invalid) = match source {
            Ok(read) => read,
            Err(problem) => {
                errln!("kukla: {problem}");
                return Outcome::Unable;
            }
        };
        let analysis = Analysis::new(&source, &rules);
        if several {
            outln!("--- {}", source.name().unwrap_or_default());
        }
        if args.format.shows_errors() || !analysis.has_no_tree() {
            out!("{}", print(&analysis.parse.tree, args));
        }
        let diagnostics = invalid.map_or(analysis.diagnostics, |i| vec![i]);
        let findings = Findings { diagnostics };
        if findings.counts().0 > 0 {
            outcome = Outcome::Found;
        }
        err!("{}", render::render(&[findings], render::Format::Human));
    }
    outcome
}

impl Format {
    /// Has this form a place for what is no program?
    fn shows_errors(self) -> bool {
        matches!(self, Self::Tree | Self::Tokens)
    }
}

fn print(tree: &Tree, args: &Args) -> String {
    let mut out = String::new();
    match args.format {
        Format::Pn if args.pretty => out = Pn::of(tree).to_pretty_text() + "\n",
        Format::Pn => out = Pn::of(tree).to_text() + "\n",
        Format::Json if args.pretty => out = Pn::of(tree).to_pretty_json() + "\n",
        Format::Json => out = Pn::of(tree).to_json() + "\n",
        Format::Tree => print_node(&mut out, tree.root()),
        Format::Tokens => {
            for token in tree.elements().filter(|e| e.kind().is_token()) {
                let _ = writeln!(out, "{:?} {:?} {:?}", token.span(), token.kind(), token.text());
            }
        }
    }
    out
}

/// Trees may be deep, so the way down is kept on the heap.
fn print_node(out: &mut String, root: Node<'_>) {
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        let _ = write!(out, "{:indent$}{:?} {:?}", "", node.kind(), node.span(), indent = depth * 2);
        if node.kind().is_token() {
            let _ = write!(out, " {:?}", node.text());
        }
        out.push('\n');
        let children: Vec<Node<'_>> = node.all_children().collect();
        open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
}
