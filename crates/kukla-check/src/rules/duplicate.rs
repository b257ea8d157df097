//! Resources that are declared twice by code that is certainly evaluated for the same node.

use kukla::syntax::{Location, Source, Span, diagnostic};
use kukla::values::Str;
use rustc_hash::{FxHashMap, FxHashSet};

use super::order::{CodePlace, Cycle, How, Order};
use super::resource::DUPLICATE_RESOURCE;
use super::suspects::Suspects;
use crate::finding::Finding;
use crate::repository::always::{Body, Declaration, Declared, Owner, Reference, reference};

/// The bodies of a repository by their owners.
#[derive(Debug, Default)]
pub struct Bodies<'o> {
    /// Those of classes.
    pub classes: FxHashMap<&'o Str, &'o Body>,
    /// Those of defined types.
    pub defines: FxHashMap<&'o Str, &'o Body>,
}

/// The root of an evaluation: bodies, one of which may take a branch.
#[derive(Clone, Copy, Debug)]
pub struct Root<'r, 'o> {
    /// The bodies, in order.
    pub bodies: &'r [&'o Body],
    /// The index of the body that takes a branch, and the declarations of the branch.
    pub branch: Option<(usize, &'o Vec<Declaration>)>,
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Outcome<'o> {
    /// Resources that are declared twice.
    pub duplicates: Vec<Duplicate>,
    /// Resources that come before themselves.
    pub cycle: Option<Cycle<'o>>,
    /// The classes that were looked for.
    pub classes: Vec<&'o Str>,
    /// The defined types that were looked for.
    pub defines: Vec<&'o Str>,
}

/// A span in a source.
pub type SourceSpan = (Source, Span);

/// A declaration that comes second.
#[derive(Clone, Debug)]
pub struct Duplicate {
    resource: String,
    /// Its place.
    pub place: SourceSpan,
    /// The place of the first one.
    pub first: SourceSpan,
    /// The second instance of a defined type, if both declarations are in its body.
    pub instance: Option<SourceSpan>,
}

/// Evaluates a root and everything that it leads to.
pub fn evaluate<'o>(bodies: &'o Bodies<'o>, suspects: &'o Suspects, root: Root<'_, 'o>) -> Outcome<'o> {
    let evaluation = Evaluation::of(bodies, suspects, root);
    Outcome {
        cycle: evaluation.order.cycle(),
        duplicates: evaluation.duplicates,
        classes: evaluation.classes.into_keys().collect(),
        defines: evaluation.kinds.into_iter().collect(),
    }
}

/// The evaluation of everything that one body leads to.
struct Evaluation<'o> {
    bodies: &'o Bodies<'o>,
    /// The resources that may be in a circle.
    suspects: &'o Suspects,
    /// The declared classes.
    classes: FxHashMap<&'o Str, CodePlace<'o>>,
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
    /// The names of defined types that were looked for.
    kinds: FxHashSet<&'o Str>,
    duplicates: Vec<Duplicate>,
    order: Order<'o>,
}

impl<'o> Evaluation<'o> {
    /// Evaluates bodies in order, one of them with a branch.
    fn of(bodies: &'o Bodies<'o>, suspects: &'o Suspects, root: Root<'_, 'o>) -> Evaluation<'o> {
        let Root { bodies: root, branch } = root;
        let mut evaluation = Evaluation {
            bodies,
            suspects,
            kinds: FxHashSet::default(),
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
        let suspects = self.suspects;
        let container = container.filter(|container| suspects.contains(container));
        for declaration in declarations {
            let place = (&body.source, declaration.span);
            match &declaration.what {
                Declared::Included(name) => self.class(name, place),
                Declared::Class(name) => match self.classes.get(name).copied() {
                    // Of classes that include each other, another one may come first.
                    Some(_) if self.depth > 0 && !self.is_from_top => {}
                    Some(first) => self.duplicates.push(Duplicate {
                        resource: format!("class[{name}]"),
                        place: owned(place),
                        first: owned(first),
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
                            self.kinds.insert(kind);
                            let define = self.bodies.defines.get(kind).filter(|_| *is_real);
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
        self.duplicates.push(Duplicate {
            resource: format!("{kind}[{title}]"),
            place: owned(place),
            first: owned(first),
            instance: instance.map(owned),
        });
    }

    /// Takes the name of a resource that no other one has as its title.
    fn name(&mut self, (kind, name): (&'o str, &'o str), place: CodePlace<'o>) {
        match self.names.get(&(kind, name)).copied() {
            // Instances of a defined type declare it with different titles only if these are computed.
            Some(first) if (first.0.name(), first.1) != (place.0.name(), place.1) => {
                let resource = format!("{kind}[{name}]");
                let (place, first) = (owned(place), owned(first));
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
        if self.classes.contains_key(name) {
            return;
        }
        self.classes.insert(name, place);
        let class = reference(&"class".into(), name);
        if self.suspects.contains(&class) {
            self.order.add(class.clone(), None);
        }
        if let Some(body) = self.bodies.classes.get(name).copied() {
            self.depth += 1;
            kukla::syntax::deep(|| self.body(body, &body.declarations, Some(&class)));
            self.depth -= 1;
        }
    }
}

fn owned((source, span): CodePlace<'_>) -> SourceSpan {
    (source.clone(), span)
}

impl Duplicate {
    /// The finding.
    pub fn finding(&self) -> Finding {
        let (source, span) = &self.place;
        let wrong = diagnostic!(*span, DUPLICATE_RESOURCE { resource: self.resource }).in_source(source);
        let (first, text) = match &self.instance {
            Some(instance) => (instance, "this declares it once more"),
            None => (&self.first, "declared here"),
        };
        let location = Location { source: first.0.clone(), span: first.1 };
        let is_named = first.1 != Span::default();
        Finding::from(if is_named { wrong.label(location, text) } else { wrong })
    }
}
