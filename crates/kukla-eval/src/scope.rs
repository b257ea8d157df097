//! Scopes: where variables live.
//!
//! Two kinds of storage, because two kinds of lifetime. A *named scope* (top, node, class, define) stays for the whole
//! compilation: `$ntp::servers` can be asked for at any later time. A *frame* (the call of a function or lambda) is gone when
//! the call ends, so frames form a stack whose memory is reused. A [`Position`] is a point of evaluation: a
//! named scope, and a frame within it.
//!
//! Match variables follow Puppet's rules: a successful match hides the ones before it until the enclosing `if`, `case`,
//! selector or lambda ends; an inner scope sees those of the outer one (`tests/language/match.md`).

use std::sync::Arc;

use kukla_values::{Name, Str, Value};
use rustc_hash::FxHashMap;

use crate::program::Params;

/// A named scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub(crate) u32);

impl ScopeId {
    /// The top scope.
    pub const TOP: ScopeId = ScopeId(0);

    /// The index of the scope among all.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position of evaluation: a named scope, and a frame within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The named scope.
    pub scope: ScopeId,
    /// The frame, if a function or lambda is being evaluated.
    pub(crate) frame: FrameId,
}

impl Position {
    /// Directly in a named scope.
    pub const fn named(scope: ScopeId) -> Position {
        Position { scope, frame: FrameId::NONE }
    }

    /// Whether no function or lambda is being evaluated here.
    pub fn is_named(self) -> bool {
        self.frame == FrameId::NONE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FrameId(u32);

impl FrameId {
    pub(crate) const NONE: FrameId = FrameId(u32::MAX);

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn of_number(number: u32) -> FrameId {
        FrameId(number)
    }
}

/// The owner of a named scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// The site manifest.
    Top,
    /// A node definition.
    Node,
    /// A class, by name.
    Class(Name),
    /// One resource of a defined type, by the type's name.
    Define(Name),
}

/// The values of `$0`, `$1`, ...
pub type Captures = Arc<[Value]>;

/// Variables by name: few are searched, many are indexed.
#[derive(Debug, Default)]
pub struct Variables {
    entries: Vec<(Name, Value)>,
    /// The index of each variable that is not a parameter, once there are many.
    index: Option<Box<FxHashMap<Name, u32>>>,
    /// The parameters among them, if there are many.
    row: Option<Row>,
    /// The marks of all names: most questions whether one of some is here end with this.
    marks: u64,
}

/// Parameters that stand in a row, in the order of the class or define, which knows the place of each: what is the same for
/// everything it is used for need not be computed again.
#[derive(Debug)]
struct Row {
    places: Arc<FxHashMap<Name, u32>>,
    first: usize,
    length: usize,
}

/// The number of variables up to which comparing pointers beats hashing.
const SEARCHED: usize = 16;

impl Variables {
    /// The value of a variable.
    #[inline]
    pub fn get(&self, name: Name) -> Option<&Value> {
        // Most scopes on the way to a variable do not have it.
        if self.marks & name.mark() == 0 {
            return None;
        }
        self.place(name).map(|at| &self.entries[at].1)
    }

    #[inline]
    fn place(&self, name: Name) -> Option<usize> {
        if self.row.is_some() || self.index.is_some() {
            return self.indexed(name);
        }
        self.entries.iter().position(|(known, _)| *known == name)
    }

    fn indexed(&self, name: Name) -> Option<usize> {
        if let Some(row) = &self.row
            && let Some(&place) = row.places.get(&name)
        {
            return Some(row.first + place as usize);
        }
        if let Some(index) = &self.index {
            return index.get(&name).map(|&at| at as usize);
        }
        self.others().find(|(_, known)| *known == name).map(|(at, _)| at)
    }

    /// The variables that are not parameters, with their indexes.
    fn others(&self) -> impl Iterator<Item = (usize, Name)> {
        let (first, end) = self.row.as_ref().map_or((0, 0), |row| (row.first, row.first + row.length));
        let range = move |range: std::ops::Range<usize>| range.map(|at| (at, self.entries[at].0));
        range(0..first).chain(range(end..self.entries.len()))
    }

    /// The number of variables that are not parameters.
    #[inline]
    fn others_count(&self) -> usize {
        self.entries.len() - self.row.as_ref().map_or(0, |row| row.length)
    }

    /// Sets the parameters of a class or define that have values, unless there are variables of their names.
    pub(crate) fn bind_parameters(&mut self, params: &Params, values: Vec<Option<Value>>) {
        let is_taken = || self.entries.iter().any(|(name, _)| params.place(*name).is_some());
        let makes_row = params.len() > SEARCHED
            && self.row.is_none()
            && self.index.is_none()
            && values.iter().all(Option::is_some)
            && !is_taken();
        let named = params.iter().map(|param| param.name).zip(values);
        let named = named.filter_map(|(name, value)| Some((name, value?)));
        let Some(places) = params.places().filter(|_| makes_row) else {
            self.reserve(params.len());
            named.for_each(|(name, value)| {
                self.bind(name, value);
            });
            return;
        };
        self.row = Some(Row { places: Arc::clone(places), first: self.entries.len(), length: params.len() });
        self.entries.reserve(params.len());
        for (name, value) in named {
            self.marks |= name.mark();
            self.entries.push((name, value));
        }
    }

    /// Makes room for this number of additional variables.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
        let all = self.entries.len() + more;
        match &mut self.index {
            Some(index) => index.reserve(more),
            None if all > SEARCHED => {
                let mut index = FxHashMap::with_capacity_and_hasher(all, Default::default());
                index.extend(self.others().map(|(at, known)| (known, at as u32)));
                self.index = Some(Box::new(index));
            }
            None => {}
        }
    }

    /// Sets a variable that is not set yet; `false` if it is.
    pub fn bind(&mut self, name: Name, value: Value) -> bool {
        if self.get(name).is_some() {
            return false;
        }
        self.push(name, value);
        true
    }

    /// Sets a variable known not to be set.
    #[inline]
    pub(crate) fn push(&mut self, name: Name, value: Value) {
        self.marks |= name.mark();
        if self.index.is_none() && self.others_count() < SEARCHED {
            self.entries.push((name, value));
        } else {
            self.push_indexed(name, value);
        }
    }

    fn push_indexed(&mut self, name: Name, value: Value) {
        if let Some(index) = &mut self.index {
            index.insert(name, self.entries.len() as u32);
        } else {
            let mut index: FxHashMap<Name, u32> =
                self.others().map(|(at, known)| (known, at as u32)).collect();
            index.insert(name, self.entries.len() as u32);
            self.index = Some(Box::new(index));
        }
        self.entries.push((name, value));
    }

    /// Sets a variable whether it is set or not.
    pub fn set(&mut self, name: Name, value: Value) {
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.push(name, value),
        }
    }

    /// The values of all variables, to change.
    fn get_mut(&mut self, name: Name) -> Option<&mut Value> {
        self.entries.iter_mut().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The variables in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Value)> {
        self.entries.iter().map(|(name, value)| (*name, value))
    }

    #[inline]
    fn clear(&mut self) {
        self.entries.clear();
        self.index = None;
        self.row = None;
        self.marks = 0;
    }
}

/// A named scope.
#[derive(Debug)]
pub struct Scope {
    /// Its owner.
    pub kind: ScopeKind,
    /// The scope it was declared from; dynamic rules (defaults) follow it, variables skip to the top or node scope.
    pub parent: Option<ScopeId>,
    /// The scope of the class it inherits.
    pub inherits: Option<ScopeId>,
    /// Its variables.
    pub variables: Variables,
    /// The last match, if one succeeded.
    pub(crate) captures: Option<Captures>,
    /// The module its code belongs to.
    pub module: Option<Name>,
    /// The module of the code that declared it.
    pub caller_module: Option<Name>,
    /// How logs name it, if not by its kind: `Ntp::Server[a]`.
    pub label: Option<Str>,
    /// The parameters that other modules may not read.
    pub(crate) private: Vec<Name>,
}

/// The variables of one call of a function or lambda.
#[derive(Debug)]
struct Frame {
    /// The frame this one sees, if the call is that of a lambda inside another call.
    outer: FrameId,
    variables: Variables,
    captures: Option<Captures>,
    /// A function: match variables outside are not seen.
    sealed: bool,
    /// Parameters that have no value yet while defaults are evaluated.
    pending: Vec<Name>,
    /// While a parameter default is evaluated nothing may be assigned here.
    read_only: bool,
}

/// All scopes of one compilation.
#[derive(Debug)]
pub struct Scopes {
    named: Vec<Scope>,
    frames: Vec<Frame>,
    /// Whether some class has parameters that other modules may not read, which is rare.
    pub(crate) has_private: bool,
    live: usize,
    classes: FxHashMap<Name, ScopeId>,
    node: Option<ScopeId>,
}

/// The outcome of a search for a variable.
#[derive(Debug)]
pub(crate) enum VariableSearch<'s> {
    Value(&'s Value),
    /// A parameter whose default has not been evaluated yet.
    Pending(Name),
    Nothing,
}

impl Default for Scopes {
    fn default() -> Scopes {
        Scopes::new()
    }
}

impl Scopes {
    /// The top scope alone.
    pub fn new() -> Scopes {
        let mut scopes = Scopes {
            named: Vec::new(),
            has_private: false,
            frames: Vec::new(),
            live: 0,
            classes: FxHashMap::default(),
            node: None,
        };
        scopes.open(ScopeKind::Top, None);
        scopes
    }

    /// Adds a named scope, declared from `parent`.
    pub(crate) fn open(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(self.named.len() as u32);
        self.named.push(Scope {
            kind,
            parent,
            inherits: None,
            variables: Variables::default(),
            captures: None,
            module: None,
            caller_module: None,
            label: None,
            private: Vec::new(),
        });
        match kind {
            ScopeKind::Class(name) => {
                self.classes.insert(name, id);
            }
            ScopeKind::Node => self.node = Some(id),
            ScopeKind::Top => {
                self.classes.insert(Name::new(""), id);
            }
            ScopeKind::Define(_) => {}
        }
        id
    }

    /// The scope of a class that has been evaluated (or begun).
    pub fn class(&self, name: Name) -> Option<ScopeId> {
        self.classes.get(&name).copied()
    }

    /// The scope of the node definition, if one applies.
    pub fn node(&self) -> Option<ScopeId> {
        self.node
    }

    /// A named scope.
    pub fn get(&self, id: ScopeId) -> &Scope {
        &self.named[id.0 as usize]
    }

    /// A named scope, to change.
    pub fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.named[id.0 as usize]
    }

    /// The top or node scope that the variables of a scope are looked for in, after its own.
    fn enclosing(&self, id: ScopeId) -> Option<ScopeId> {
        let mut parent = self.get(id).parent?;
        loop {
            let scope = self.get(parent);
            if matches!(scope.kind, ScopeKind::Top | ScopeKind::Node) {
                return Some(parent);
            }
            parent = scope.parent?;
        }
    }

    fn next(&self, id: ScopeId) -> Option<ScopeId> {
        self.get(id).inherits.or_else(|| self.enclosing(id))
    }

    /// Looks a plain name up from `at` outwards.
    #[inline]
    pub(crate) fn find(&self, at: Position, name: Name) -> VariableSearch<'_> {
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = &self.frames[frame.0 as usize];
            if let Some(value) = here.variables.get(name) {
                return VariableSearch::Value(value);
            }
            if !here.pending.is_empty() && here.pending.contains(&name) {
                return VariableSearch::Pending(name);
            }
            frame = here.outer;
        }
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            if let Some(value) = self.get(id).variables.get(name) {
                return VariableSearch::Value(value);
            }
            scope = self.next(id);
        }
        VariableSearch::Nothing
    }

    /// A number that stays the same as long as these names, looked up from `at`, mean the same variables of the top scope;
    /// none if one of them is found further in, where it can mean something else from one call to the next.
    pub(crate) fn token(&self, at: Position, marks: u64, names: &[Name]) -> Option<u64> {
        let has = |variables: &Variables| {
            variables.marks & marks != 0 && names.iter().any(|name| variables.get(*name).is_some())
        };
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = &self.frames[frame.0 as usize];
            if has(&here.variables) || !here.pending.is_empty() {
                return None;
            }
            frame = here.outer;
        }
        let mut id = at.scope;
        while id != ScopeId::TOP {
            if has(&self.get(id).variables) {
                return None;
            }
            id = self.next(id)?;
        }
        // Variables of the top scope are set once and never again.
        let top = &self.get(ScopeId::TOP).variables;
        Some(if top.marks & marks == 0 { 0 } else { top.entries.len() as u64 })
    }

    /// Where a plain name looked up from `at` is found: a frame, or a named scope.
    pub(crate) fn holder(&self, at: Position, name: Name) -> Option<Position> {
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = &self.frames[frame.0 as usize];
            if here.variables.get(name).is_some() {
                return Some(Position { scope: at.scope, frame });
            }
            frame = here.outer;
        }
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            if self.get(id).variables.get(name).is_some() {
                return Some(Position::named(id));
            }
            scope = self.next(id);
        }
        None
    }

    /// Looks a variable up in a class and those it inherits.
    pub(crate) fn find_in_class(&self, class: ScopeId, name: Name) -> Option<&Value> {
        let mut scope = Some(class);
        while let Some(id) = scope {
            let here = self.get(id);
            if let Some(value) = here.variables.get(name) {
                return Some(value);
            }
            scope = here.inherits;
        }
        None
    }

    /// The scope that a variable of a class is found in: its own or that of a class it inherits.
    pub(crate) fn class_holding(&self, class: ScopeId, name: Name) -> ScopeId {
        let mut scope = class;
        while self.get(scope).variables.get(name).is_none()
            && let Some(parent) = self.get(scope).inherits
        {
            scope = parent;
        }
        scope
    }

    /// Whether an assignment at `at` would find the name taken.
    pub(crate) fn is_bound(&self, at: Position, name: Name) -> bool {
        self.own(at).get(name).is_some()
    }

    fn own(&self, at: Position) -> &Variables {
        match at.frame {
            FrameId::NONE => &self.get(at.scope).variables,
            frame => &self.frames[frame.0 as usize].variables,
        }
    }

    /// Sets a variable at a position; `false` if it is set already.
    pub(crate) fn bind(&mut self, at: Position, name: Name, value: Value) -> bool {
        match at.frame {
            FrameId::NONE => self.get_mut(at.scope).variables.bind(name, value),
            frame => self.frames[frame.0 as usize].variables.bind(name, value),
        }
    }

    /// Whether assignments are refused because a parameter default is being evaluated.
    pub(crate) fn is_read_only(&self, at: Position) -> bool {
        at.frame != FrameId::NONE && self.frames[at.frame.0 as usize].read_only
    }

    /// The value of `$n` at `at`.
    pub(crate) fn capture(&self, at: Position, n: usize) -> Value {
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = &self.frames[frame.0 as usize];
            if let Some(captures) = &here.captures {
                return captures.get(n).cloned().unwrap_or_default();
            }
            if here.sealed {
                return Value::Undef;
            }
            frame = here.outer;
        }
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            if let Some(captures) = &self.get(id).captures {
                return captures.get(n).cloned().unwrap_or_default();
            }
            scope = self.next(id);
        }
        Value::Undef
    }

    /// The captures at a position, to restore them later.
    pub(crate) fn captures(&self, at: Position) -> Option<Captures> {
        match at.frame {
            FrameId::NONE => self.get(at.scope).captures.clone(),
            frame => self.frames[frame.0 as usize].captures.clone(),
        }
    }

    /// Sets the captures at a position.
    pub(crate) fn set_captures(&mut self, at: Position, captures: Option<Captures>) {
        match at.frame {
            FrameId::NONE => self.get_mut(at.scope).captures = captures,
            frame => self.frames[frame.0 as usize].captures = captures,
        }
    }

    /// Puts the captures back as they were; most of the time there were none and are none.
    #[inline]
    pub(crate) fn restore_captures(&mut self, at: Position, before: Option<Captures>) {
        let captures = match at.frame {
            FrameId::NONE => &mut self.named[at.scope.0 as usize].captures,
            frame => &mut self.frames[frame.0 as usize].captures,
        };
        if before.is_some() || captures.is_some() {
            *captures = before;
        }
    }

    /// Opens a frame inside `at` (a lambda), to be closed with [`Scopes::pop`].
    pub(crate) fn push(&mut self, at: Position) -> Position {
        if self.live == self.frames.len() {
            self.frames.push(Frame {
                outer: at.frame,
                variables: Variables::default(),
                captures: None,
                sealed: false,
                pending: Vec::new(),
                read_only: false,
            });
        } else {
            let frame = &mut self.frames[self.live];
            frame.outer = at.frame;
            frame.captures = None;
            frame.sealed = false;
            frame.read_only = false;
        }
        let frame = FrameId(self.live as u32);
        self.live += 1;
        Position { scope: at.scope, frame }
    }

    /// Opens a frame for a function, which sees no match variables but its own.
    pub(crate) fn push_sealed(&mut self, at: Position) -> Position {
        let position = self.push(at);
        self.frames[position.frame.0 as usize].sealed = true;
        position
    }

    /// Closes the newest frame.
    pub(crate) fn pop(&mut self) {
        self.live -= 1;
        let frame = &mut self.frames[self.live];
        frame.variables.clear();
        frame.pending.clear();
        frame.captures = None;
    }

    /// Makes room for this number of parameters in a fresh frame.
    pub(crate) fn expect(&mut self, at: Position, parameters: usize) {
        self.frames[at.frame.0 as usize].variables.reserve(parameters);
    }

    /// Sets a parameter in a fresh frame.
    #[inline]
    pub(crate) fn give(&mut self, at: Position, name: Name, value: Value) {
        self.frames[at.frame.0 as usize].variables.push(name, value);
    }

    /// The parameters set in a frame.
    #[inline]
    pub(crate) fn entries(&self, at: Position) -> &[(Name, Value)] {
        &self.frames[at.frame.0 as usize].variables.entries
    }

    /// Says which parameters of a frame have no value yet, and whether assignments are refused meanwhile.
    pub(crate) fn set_pending(&mut self, at: Position, pending: Vec<Name>, read_only: bool) {
        let frame = &mut self.frames[at.frame.0 as usize];
        frame.pending = pending;
        frame.read_only = read_only;
    }

    /// The values of every variable of the scopes visible from `at`, to change.
    pub(crate) fn visible_mut(&mut self, at: Position) -> impl Iterator<Item = &mut Value> {
        let mut scopes = Vec::new();
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            scopes.push(id.index());
            scope = self.next(id);
        }
        let frames = self.frames.iter_mut().take(self.live).flat_map(|frame| frame.variables.values_mut());
        let named = self.named.iter_mut().enumerate().filter(move |(at, _)| scopes.contains(at));
        frames.chain(named.flat_map(|(_, scope)| scope.variables.values_mut()))
    }

    /// The variable that a name means at `at`, to change, and whether it is one of the named scope itself.
    pub(crate) fn meant_mut(&mut self, at: Position, name: Name) -> Option<(&mut Value, bool)> {
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = frame.0 as usize;
            if self.frames[here].variables.get(name).is_some() {
                return self.frames[here].variables.get_mut(name).map(|value| (value, false));
            }
            frame = self.frames[here].outer;
        }
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            if self.get(id).variables.get(name).is_some() {
                return self.get_mut(id).variables.get_mut(name).map(|value| (value, id == at.scope));
            }
            scope = self.next(id);
        }
        None
    }

    /// The position, or its named scope if the call that it was in has ended.
    pub(crate) fn still_there(&self, at: Position) -> Position {
        let scope = if at.scope.index() < self.named.len() { at.scope } else { ScopeId::TOP };
        let frame = if (at.frame.0 as usize) < self.live { at.frame } else { FrameId::NONE };
        Position { scope, frame }
    }

    /// Every variable visible from `at`, those of outer scopes first, in each as they were set; a name may come several times.
    pub fn visible(&self, at: Position) -> Vec<(Name, Value)> {
        let mut inside_out = Vec::new();
        let mut frame = at.frame;
        while frame != FrameId::NONE {
            let here = &self.frames[frame.0 as usize];
            inside_out.push(&here.variables);
            frame = here.outer;
        }
        let mut scope = Some(at.scope);
        while let Some(id) = scope {
            inside_out.push(&self.get(id).variables);
            scope = self.next(id);
        }
        let all = inside_out.into_iter().rev().flat_map(Variables::iter);
        all.map(|(name, value)| (name, value.clone())).collect()
    }
}
