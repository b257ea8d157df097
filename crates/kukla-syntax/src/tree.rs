//! The lossless tree: every byte of the text is in it, and printing its tokens gives the text back.
//!
//! The tree is one flat array in preorder: for each element (node or token) its kind, the offset where it begins and the
//! number of elements it consists of. A node allocates nothing, its children follow it, and its next sibling is found by
//! adding its size.

use std::sync::Arc;

use crate::Span;
use crate::SyntaxKind::{self, HeredocBody, HeredocTag};
use crate::lexer::Heredoc;

/// How deep a tree may be. What is nested deeper is one error.
pub const MAX_DEPTH: u32 = 2000;

/// The tree of one source text.
#[derive(Clone, Debug)]
pub struct Tree {
    text: Arc<str>,
    /// The elements, and one more at the end of the text.
    elements: Vec<Element>,
    /// For each heredoc whose tag and body are in the tree: the tag's element, the body's element, the particulars.
    heredocs: Vec<(u32, u32, Heredoc)>,
}

/// The stored data of a node or token.
#[derive(Clone, Copy, Debug)]
struct Element {
    start: u32,
    /// How many elements this is, with all it contains.
    size: u32,
    kind: SyntaxKind,
}

/// An element of a tree: a node with children, or a token.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    index: u32,
}

impl Tree {
    /// The whole tree, from its root.
    pub fn root(&self) -> Node<'_> {
        Node { tree: self, index: 0 }
    }

    /// The text the tree was made from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of nodes and tokens.
    pub fn len(&self) -> usize {
        self.elements.len() - 1
    }

    /// Always false, since a tree has at least a root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All nodes and tokens, each before its children, in the order of the text.
    pub fn elements(&self) -> impl Iterator<Item = Node<'_>> + '_ {
        (0..self.len() as u32).map(|index| Node { tree: self, index })
    }

    /// The element of that [index](Node::index).
    pub fn element(&self, index: u32) -> Option<Node<'_>> {
        ((index as usize) < self.len()).then_some(Node { tree: self, index })
    }

    /// The token before an element.
    pub fn token_before(&self, node: Node<'_>) -> Option<Node<'_>> {
        self.before(node).find(|element| element.kind().is_token())
    }

    /// The last element of this kind that begins before `node` does.
    pub(crate) fn element_before(&self, node: Node<'_>, kind: SyntaxKind) -> Option<Node<'_>> {
        self.before(node).find(|element| element.kind() == kind)
    }

    fn before(&self, node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
        (0..node.index).rev().map(|index| Node { tree: self, index })
    }
}

impl<'t> Node<'t> {
    /// The tree this belongs to.
    pub fn tree(self) -> &'t Tree {
        self.tree
    }

    /// The position of this element in the order of [`Tree::elements`]; it identifies the element within its tree.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Its kind.
    #[inline]
    pub fn kind(self) -> SyntaxKind {
        self.tree.elements[self.index as usize].kind
    }

    /// Where this begins.
    #[inline]
    pub fn start(self) -> u32 {
        self.tree.elements[self.index as usize].start
    }

    /// Its span. A node begins and ends with a token that is neither blank nor comment.
    #[inline]
    pub fn span(self) -> Span {
        let end = (self.index + self.size()) as usize;
        Span::new(self.start(), self.tree.elements[end].start)
    }

    /// The text of this and all it contains.
    #[inline]
    pub fn text(self) -> &'t str {
        &self.tree.text[self.span().range()]
    }

    #[inline]
    fn size(self) -> u32 {
        self.tree.elements[self.index as usize].size
    }

    /// The children, blanks and comments included.
    pub fn all_children(self) -> Children<'t> {
        let end = self.index + self.size();
        Children { tree: self.tree, next: self.index + 1, end }
    }

    /// The children the grammar knows: no blanks, no comments, no texts of heredocs.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> + Clone {
        self.all_children().filter(|child| child.is_significant())
    }

    /// The first child of this kind.
    pub fn child(self, kind: SyntaxKind) -> Option<Node<'t>> {
        self.all_children().find(|child| child.kind() == kind)
    }

    /// This and everything in it, each before its children.
    pub fn descendants(self) -> impl Iterator<Item = Node<'t>> + Clone {
        let tree = self.tree;
        (self.index..self.index + self.size()).map(move |index| Node { tree, index })
    }

    #[inline]
    pub(crate) fn is_significant(self) -> bool {
        !self.kind().is_trivia() && self.kind() != HeredocBody
    }

    /// The siblings after this one within `parent`, as far as the grammar knows them.
    pub(crate) fn followers(self, parent_end: u32) -> impl Iterator<Item = Node<'t>> + Clone {
        Children { tree: self.tree, next: self.index + self.size(), end: parent_end }
            .filter(|child| child.is_significant())
    }

    /// The [index](Node::index) after this element and all it contains.
    pub fn end_index(self) -> u32 {
        self.index + self.size()
    }

    /// The body of the heredoc whose tag this is, and how to read it.
    pub(crate) fn heredoc(self) -> Option<(Node<'t>, &'t Heredoc)> {
        let heredocs = &self.tree.heredocs;
        let at = heredocs.binary_search_by_key(&self.index, |(tag, ..)| *tag).ok()?;
        let (_, body, heredoc) = &heredocs[at];
        Some((Node { tree: self.tree, index: *body }, heredoc))
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.span())
    }
}

/// The children of a node.
#[derive(Clone)]
pub struct Children<'t> {
    tree: &'t Tree,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        if self.next >= self.end {
            return None;
        }
        let child = Node { tree: self.tree, index: self.next };
        self.next += child.size();
        Some(child)
    }
}

/// Collects the elements of a tree in postorder, where wrapping what has already been read in another node is free.
#[derive(Default)]
pub(crate) struct Builder {
    elements: Vec<Element>,
}

impl Builder {
    pub fn with_capacity(capacity: usize) -> Builder {
        Builder { elements: Vec::with_capacity(capacity) }
    }

    /// The place where the next element will be.
    #[inline]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// The kind of the element completed last.
    #[inline]
    pub fn last_kind(&self) -> SyntaxKind {
        self.elements.last().map_or(SyntaxKind::Error, |element| element.kind)
    }

    #[inline]
    pub fn token(&mut self, kind: SyntaxKind, start: u32) {
        self.elements.push(Element { start, size: 1, kind });
    }

    /// Makes a node of everything since `from`; `end` is the offset where an empty one is.
    #[inline]
    pub fn node(&mut self, kind: SyntaxKind, from: usize, end: u32) {
        // The first element in postorder is the leftmost token, which begins where the node does.
        let start = self.elements.get(from).map_or(end, |element| element.start);
        let size = (self.elements.len() - from) as u32 + 1;
        self.elements.push(Element { start, size, kind });
    }

    /// The kinds of the elements since `from`.
    pub fn kinds_since(&self, from: usize) -> impl Iterator<Item = SyntaxKind> {
        self.elements[from..].iter().map(|element| element.kind)
    }

    /// Puts the elements into preorder. `heredocs` are the places of tags and bodies in postorder.
    ///
    /// A subtree takes up the same range in both orders but for a shift by its depth. So one pass from the end suffices, and it can be made
    /// in place: a token moves to the right, where all has been read, and a node waits for its first token.
    /// `None` if the tree is deeper than allowed.
    pub fn finish(mut self, text: Arc<str>, heredocs: Vec<(u32, u32, Heredoc)>) -> Option<Tree> {
        let elements = &mut self.elements;
        let mut moved: Vec<(u32, u32)> = Vec::new();
        // The nodes around, each with its place in both orders.
        let mut around: Vec<(u32, u32, Element)> = Vec::with_capacity(64);
        for at in (0..elements.len() as u32).rev() {
            let element = elements[at as usize];
            if element.kind.is_token() {
                let target = at + around.len() as u32;
                elements[target as usize] = element;
                if element.kind == HeredocTag {
                    moved.push((at, target));
                }
            } else {
                around.push((at, at + 1 - element.size, element));
                if around.len() > MAX_DEPTH as usize {
                    return None;
                }
            }
            while let Some((from, first, node)) = around.last().copied().filter(|(_, first, _)| *first == at)
            {
                let target = first + around.len() as u32 - 1;
                elements[target as usize] = node;
                if node.kind == HeredocBody {
                    moved.push((from, target));
                }
                around.pop();
            }
        }
        elements.push(Element { start: text.len() as u32, size: 1, kind: SyntaxKind::Eof });
        moved.sort_unstable();
        let target =
            |at: u32| moved.binary_search_by_key(&at, |&(from, _)| from).ok().map(|found| moved[found].1);
        let mut heredocs: Vec<_> = heredocs
            .into_iter()
            .filter_map(|(tag, body, heredoc)| Some((target(tag)?, target(body)?, heredoc)))
            .collect();
        heredocs.sort_unstable_by_key(|(tag, ..)| *tag);
        Some(Tree { text, elements: self.elements, heredocs })
    }
}
