//! `kukla parse`: the tokens and syntax trees of files.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use kukla::analysis::{Analysis, Rules};
use kukla::syntax::pn::Pn;
use kukla::syntax::tree::{Node, Tree};
use kukla::syntax::{Problem, Source};

use crate::output::{err, out, outln};
use crate::render::{self, Findings};
use crate::{CommandResult, ExitKind, files};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files to parse; `-` is standard input
    #[arg(required_unless_present = "code")]
    files: Vec<PathBuf>,
    /// Parse this text instead of a file
    #[arg(short = 'e', long = "execute", value_name = "CODE", conflicts_with = "files")]
    code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Spread PN or JSON over several lines
    #[arg(long)]
    pretty: bool,
    /// Parse the text as an EPP template, whatever its name
    #[arg(long)]
    epp: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// PN, Puppet's notation of syntax trees, as `puppet parser dump --format pn` prints it
    #[default]
    Pn,
    /// PN as JSON
    Json,
    /// Every node with its kind and position, tokens with their text
    Tree,
    /// The tokens only, one per line
    Tokens,
}

/// Parses the files and prints their trees.
pub fn run(args: &Args) -> CommandResult {
    if args.pretty && args.format.shows_errors() {
        return Err(Problem::invalid("--pretty requires --format pn or --format json"));
    }
    let sources = match &args.code {
        Some(code) => vec![Ok((Source::new("-e", code.as_str()), None))],
        None => args.files.iter().map(|path| files::read(path)).collect(),
    };
    let several = sources.len() > 1;
    let rules = Rules { epp: args.epp.then_some(true), here: files::current_directory(), ..Rules::default() };
    let mut has_errors = false;
    for source in sources {
        let (source, invalid) = source?;
        let analysis = Analysis::new(&source, &rules);
        if several {
            outln!("--- {}", source.name().unwrap_or_default());
        }
        if args.format.shows_errors() || !analysis.has_no_tree() {
            out!("{}", print(&analysis.parse.tree, args));
        }
        let diagnostics = invalid.map_or(analysis.diagnostics, |i| vec![i]);
        let findings = Findings { diagnostics };
        has_errors |= findings.counts().0 > 0;
        err!("{}", render::render(&[findings], render::Format::Human));
    }
    Ok(ExitKind::findings_if(has_errors))
}

impl Format {
    /// Whether the format can show invalid code.
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

/// Uses a stack on the heap, as trees may be deep.
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
