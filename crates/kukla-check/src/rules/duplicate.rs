//! Resources that are declared twice, or ordered in a circle, by code that is certainly evaluated for the same node.

use std::sync::Arc;

use kukla::syntax::{Location, Span, diagnostic};
use kukla::values::Str;
use rustc_hash::{FxHashMap, FxHashSet};

use super::order::{CodePlace, Cycle, How, Order};
use super::resource::DUPLICATE_RESOURCE;
use super::suspects::Suspects;
use crate::finding::Finding;
use crate::repository::always::{Body, Declaration, Declared, Owner, Reference, reference};
use crate::repository::{Index, Outline, Role};

/// The bodies of a repository by their owners.
struct Bodies<'o> {
    classes: FxHashMap<&'o str, &'o Body>,
    defines: FxHashMap<&'o str, &'o Body>,
    suspects: Suspects,
}

/// The evaluation of everything that one body leads to.
struct Evaluation<'o> {
    bodies: &'o Bodies<'o>,
    /// The declared classes.
    classes: FxHashMap<&'o str, CodePlace<'o>>,
    /// The declared resources by type and title, each with the instance of a defined type that declares it.
    resources: FxHashMap<(&'o str, &'o str), (CodePlace<'o>, Option<CodePlace<'o>>)>,
    /// Whether it begins at the top of the site, so that it is known which classes come first.
    is_from_top: bool,
    /// The number of bodies around the one that is evaluated.
    depth: usize,
    /// The instance of a defined type whose body is evaluated.
    instance: Option<CodePlace<'o>>,
    /// The places of resources by type and name, which may differ from the title.
    names: FxHashMap<(&'o str, &'o str), CodePlace<'o>>,
    /// The declared instances of defined types, whose bodies are evaluated last.
    instances: Vec<(&'o Body, CodePlace<'o>, Reference)>,
    duplicates: Vec<Duplicate<'o>>,
    order: Order<'o>,
}

/// The mistakes of some evaluations.
#[derive(Default)]
struct Mistakes<'o> {
    duplicates: Vec<Duplicate<'o>>,
    cycles: Vec<Cycle<'o>>,
}

/// A declaration that comes second.
struct Duplicate<'o> {
    resource: String,
    place: CodePlace<'o>,
    first: CodePlace<'o>,
    /// The second instance of a defined type, if both declarations are in its body.
    instance: Option<CodePlace<'o>>,
}

/// Finds resources that are declared twice, or come before themselves.
pub fn check(index: &Index, outlines: &[(Role, Arc<Outline>)]) -> Vec<Finding> {
    let mut bodies = Bodies {
        classes: FxHashMap::default(),
        defines: FxHashMap::default(),
        suspects: Suspects::default(),
    };
    let (mut tops, mut nodes): (Vec<&Body>, Vec<&Body>) = (Vec::new(), Vec::new());
    let mut roots: Vec<&Body> = Vec::new();
    for (role, outline) in outlines {
        for body in &outline.bodies {
            match &body.owner {
                // Of several definitions of a class, only one is in use.
                Owner::Class(name) if is_in_use(index.classes.get(name), body) => {
                    bodies.classes.insert(name, body);
                    roots.push(body);
                }
                Owner::Define(name) if is_in_use(index.defines.get(name), body) => {
                    bodies.defines.insert(name, body);
                    roots.push(body);
                }
                Owner::Top if *role == Role::Site => tops.push(body),
                Owner::Node if *role == Role::Site => nodes.push(body),
                _ => roots.push(body),
            }
        }
    }
    let all: Vec<&Body> = outlines.iter().flat_map(|(_, outline)| &outline.bodies).collect();
    bodies.suspects = Suspects::of(&all, bodies.defines.keys().copied());
    let mut mistakes = Mistakes::default();
    for root in &roots {
        mistakes.add_branches(&bodies, &[], root);
    }
    mistakes.add(&bodies, &tops, None);
    for (at, top) in tops.iter().enumerate() {
        for branch in &top.branches {
            mistakes.add(&bodies, &tops, Some((at, branch)));
        }
    }
    for node in nodes {
        mistakes.add_branches(&bodies, &tops, node);
    }
    let Mistakes { mut duplicates, mut cycles } = mistakes;
    let mut circles = FxHashSet::default();
    cycles.retain(|cycle| !cycle.is_of_classes() && circles.insert(cycle.key()));
    let (mut seen, mut places) = (FxHashSet::default(), FxHashSet::default());
    let key = |(source, span): CodePlace<'_>| (source.name().map(str::to_owned), span);
    duplicates.retain(|duplicate| {
        let (mut a, mut b) = (key(duplicate.first), key(duplicate.place));
        if b < a {
            std::mem::swap(&mut a, &mut b);
        }
        seen.insert((a, b)) && places.insert(key(duplicate.place))
    });
    let cycles = cycles.iter().filter_map(Cycle::finding);
    duplicates.iter().map(Duplicate::finding).chain(cycles).collect()
}

fn is_in_use(definition: Option<&Arc<crate::repository::Definition>>, body: &Body) -> bool {
    definition.is_some_and(|definition| definition.source.name() == body.source.name())
}

impl<'o> Mistakes<'o> {
    /// Adds those of a body after others, once without and once with each of its branches.
    fn add_branches(&mut self, bodies: &'o Bodies<'o>, before: &[&'o Body], body: &'o Body) {
        let root: Vec<&Body> = before.iter().copied().chain([body]).collect();
        self.add(bodies, &root, None);
        for branch in &body.branches {
            self.add(bodies, &root, Some((before.len(), branch)));
        }
    }

    /// Adds those of bodies in order, one of them with a branch.
    fn add(
        &mut self,
        bodies: &'o Bodies<'o>,
        root: &[&'o Body],
        branch: Option<(usize, &'o Vec<Declaration>)>,
    ) {
        let evaluation = Evaluation::of(bodies, root, branch);
        self.cycles.extend(evaluation.order.cycle());
        self.duplicates.extend(evaluation.duplicates);
    }
}

impl<'o> Evaluation<'o> {
    /// Evaluates bodies in order, one of them with a branch.
    fn of(
        bodies: &'o Bodies<'o>,
        root: &[&'o Body],
        branch: Option<(usize, &'o Vec<Declaration>)>,
    ) -> Evaluation<'o> {
        let mut evaluation = Evaluation {
            bodies,
            classes: FxHashMap::default(),
            resources: FxHashMap::default(),
            names: FxHashMap::default(),
            is_from_top: root.iter().any(|body| matches!(body.owner, Owner::Top | Owner::Node)),
            depth: 0,
            instance: None,
            instances: Vec::new(),
            duplicates: Vec::new(),
            order: Order::default(),
        };
        for (at, body) in root.iter().enumerate() {
            let mut container = None;
            if let Owner::Class(name) = &body.owner {
                evaluation.classes.insert(name, (&body.source, Span::default()));
                let class = reference(&"class".into(), name);
                evaluation.order.add(class.clone(), None);
                container = Some(class);
            }
            let declarations = match branch {
                Some((branched, declarations)) if branched == at => declarations,
                _ => &body.declarations,
            };
            evaluation.body(body, declarations, container.as_ref());
        }
        // Instances of defined types declare further ones.
        let mut at = 0;
        while let Some((body, place, instance)) = evaluation.instances.get(at).cloned() {
            evaluation.instance = Some(place);
            evaluation.depth = 1;
            evaluation.body(body, &body.declarations, Some(&instance));
            at += 1;
        }
        evaluation
    }

    /// Makes the declarations of a body, as parts of a class or an instance of a defined type.
    fn body(&mut self, body: &'o Body, declarations: &'o [Declaration], container: Option<&Reference>) {
        if let Some(parent) = &body.parent {
            self.class(parent, (&body.source, Span::default()));
        }
        let suspects = &self.bodies.suspects;
        let container = container.filter(|container| suspects.contains(container));
        for declaration in declarations {
            let place = (&body.source, declaration.span);
            match &declaration.what {
                Declared::Included(name) => self.class(name, place),
                Declared::Class(name) => match self.classes.get(name.as_str()).copied() {
                    // Of classes that include each other, another one may come first.
                    Some(_) if self.depth > 0 && !self.is_from_top => {}
                    Some(first) => self.duplicates.push(Duplicate {
                        resource: format!("class[{name}]"),
                        place,
                        first,
                        instance: None,
                    }),
                    None => self.class(name, place),
                },
                Declared::Ordered { before, after } => {
                    if suspects.contains(before) && suspects.contains(after) {
                        self.order.put(How::Before, before.clone(), after.clone(), place);
                    }
                }
                Declared::Contained(name) | Declared::Required(name) => {
                    let Some(container) = container else { continue };
                    let (own, class) = (container.clone(), reference(&"class".into(), name));
                    match &declaration.what {
                        Declared::Contained(_) => self.order.put(How::Around, own, class, place),
                        _ => self.order.put(How::Required, class, own, place),
                    }
                }
                Declared::Resource { kind, title, name, is_real } => {
                    let key = (kind.as_str(), title.as_str());
                    if *is_real && !suspects.is_empty() {
                        let resource = reference(kind, title);
                        if suspects.contains(&resource) {
                            self.order.add(resource, container);
                        }
                    }
                    match self.resources.get(&key).copied() {
                        Some((first, by)) => self.duplicate(key, place, (first, by)),
                        None => {
                            self.resources.insert(key, (place, self.instance));
                            if let Some(name) = name {
                                self.name((kind, name), place);
                            }
                            let define = self.bodies.defines.get(kind.as_str()).filter(|_| *is_real);
                            let instance = define.map(|define| (*define, place, reference(kind, title)));
                            self.instances.extend(instance);
                        }
                    }
                }
            }
        }
    }

    fn duplicate(
        &mut self,
        (kind, title): (&str, &str),
        place: CodePlace<'o>,
        (first, by): (CodePlace<'o>, Option<CodePlace<'o>>),
    ) {
        // The body of a defined type declares it for each instance.
        let is_same = (first.0.name(), first.1) == (place.0.name(), place.1);
        let instance = self.instance.filter(|_| is_same && by.is_some());
        self.duplicates.push(Duplicate { resource: format!("{kind}[{title}]"), place, first, instance });
    }

    /// Takes the name of a resource that no other one has as its title.
    fn name(&mut self, (kind, name): (&'o str, &'o str), place: CodePlace<'o>) {
        match self.names.get(&(kind, name)).copied() {
            // Instances of a defined type declare it with different titles only if these are computed.
            Some(first) if (first.0.name(), first.1) != (place.0.name(), place.1) => {
                let resource = format!("{kind}[{name}]");
                self.duplicates.push(Duplicate { resource, place, first, instance: None });
            }
            Some(_) => {}
            None => {
                self.names.insert((kind, name), place);
            }
        }
    }

    /// Declares a class unless it is declared already.
    fn class(&mut self, name: &'o Str, place: CodePlace<'o>) {
        if self.classes.contains_key(name.as_str()) {
            return;
        }
        self.classes.insert(name, place);
        let class = reference(&"class".into(), name);
        if self.bodies.suspects.contains(&class) {
            self.order.add(class.clone(), None);
        }
        if let Some(body) = self.bodies.classes.get(name.as_str()).copied() {
            self.depth += 1;
            kukla::syntax::deep(|| self.body(body, &body.declarations, Some(&class)));
            self.depth -= 1;
        }
    }
}

impl Duplicate<'_> {
    fn finding(&self) -> Finding {
        let (source, span) = self.place;
        let wrong = diagnostic!(span, DUPLICATE_RESOURCE { resource: self.resource }).in_source(source);
        let (first, text) = match self.instance {
            Some(instance) => (instance, "this declares it once more"),
            None => (self.first, "declared here"),
        };
        let location = Location { source: first.0.clone(), span: first.1 };
        let is_named = first.1 != Span::default();
        Finding::from(if is_named { wrong.label(location, text) } else { wrong })
    }
}
