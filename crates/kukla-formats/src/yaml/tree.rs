//! From text to a tree that keeps what a reader with classes of its own wants to know: tags, names, quotes.

use libyaml_safer::{EventData, Parser, ScalarStyle};

use super::read::{completed, syntax_error, without_break};
use super::tags::spaced;
use crate::Error;

/// One node of a document.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name that `&name` gives it.
    pub anchor: Option<String>,
    /// The type given by its tag.
    pub tag: Option<String>,
    /// Its content.
    pub part: Part,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub enum Part {
    /// Text, and whether it was in quotes or a block and so means itself.
    Scalar(String, bool),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and their values.
    Mapping(Vec<(Node, Node)>),
    /// The node that has this name.
    Alias(String),
}

/// Deeper than any data, shallower than any stack.
const MAX_DEPTH: usize = 500;

/// A collection that is not complete yet; of a map, keys and values by turns.
struct Open {
    anchor: Option<String>,
    tag: Option<String>,
    is_mapping: bool,
    nodes: Vec<Node>,
}

/// The first documents of a text, that many.
pub fn trees(text: &[u8], most: usize) -> Result<Vec<Node>, Error> {
    let spaced = spaced(text);
    let text = &*spaced;
    let completed = completed(text);
    let mut input = completed.as_deref().unwrap_or(text);
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    while documents.len() < most {
        let mut event = parser.parse().map_err(|error| syntax_error(&error))?;
        if completed.is_some() && event.end_mark.index > text.len() as u64 {
            without_break(&mut event.data, text);
        }
        let node = match event.data {
            EventData::StreamStart { .. }
            | EventData::DocumentStart { .. }
            | EventData::DocumentEnd { .. } => {
                continue;
            }
            EventData::StreamEnd => break,
            EventData::Alias { anchor } => Node { anchor: None, tag: None, part: Part::Alias(anchor) },
            EventData::Scalar { anchor, tag, value, quoted_implicit, style, .. } => {
                let quoted = quoted_implicit || (tag.is_none() && style != ScalarStyle::Plain);
                Node { anchor, tag, part: Part::Scalar(value, quoted) }
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                start(&mut open, Open { anchor, tag, is_mapping: false, nodes: Vec::new() })?;
                continue;
            }
            EventData::MappingStart { anchor, tag, .. } => {
                start(&mut open, Open { anchor, tag, is_mapping: true, nodes: Vec::new() })?;
                continue;
            }
            EventData::SequenceEnd | EventData::MappingEnd => match open.pop() {
                Some(done) => closed(done),
                None => continue,
            },
        };
        match open.last_mut() {
            Some(parent) => parent.nodes.push(node),
            None => documents.push(node),
        }
    }
    Ok(documents)
}

fn start(open: &mut Vec<Open>, next: Open) -> Result<(), Error> {
    if open.len() >= MAX_DEPTH {
        return Err(Error::bare(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    open.push(next);
    Ok(())
}

fn closed(done: Open) -> Node {
    let Open { anchor, tag, is_mapping, nodes } = done;
    let part = if is_mapping {
        let mut nodes = nodes.into_iter();
        let mut pairs = Vec::new();
        while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            pairs.push((key, value));
        }
        Part::Mapping(pairs)
    } else {
        Part::Sequence(nodes)
    };
    Node { anchor, tag, part }
}
