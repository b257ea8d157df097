//! Imprints: what is left of a catalog when all that is in it is taken away. Together with a catalog that is nearly the same, and the few resources that only it
//! had, the catalog can be put together again.

use indexmap::IndexSet;
use kukla_catalog::{Catalog, Edge};
use kukla_values::Str;
use rustc_hash::FxBuildHasher;

use super::encode::{Reader, Writer};
use super::marks::{Key, Mark, Marks, ResourceMarks};

/// What is left of a catalog: the marks of its resources and their places, what contains what, the mark of its classes.
#[derive(Clone, Debug)]
pub struct Imprint {
    /// The numbers of its resources, as runs: how far each begins from where the one before ended, and how long it is.
    runs: Box<[u8]>,
    /// The number of the containments.
    shape: u32,
    /// The mark of its classes.
    pub classes: Mark,
}

/// What imprints are made of, each thing once: most nodes have most of it in common.
#[derive(Debug, Default)]
pub struct Imprints {
    /// What tells the key of the marks from others.
    key: Mark,
    files: IndexSet<Str, FxBuildHasher>,
    tags: IndexSet<Mark, FxBuildHasher>,
    resources: IndexSet<Placed, FxBuildHasher>,
    shapes: IndexSet<Box<[u8]>, FxBuildHasher>,
}

/// A resource and where it was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Placed {
    own: Mark,
    tags: u32,
    file: Option<u32>,
    line: Option<u32>,
}

/// Where a resource was declared, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'i> {
    /// The manifest.
    pub file: Option<&'i Str>,
    /// The line.
    pub line: Option<u32>,
}

/// No catalog has more resources.
const MOST: usize = 1 << 24;

impl Imprints {
    /// None yet, of marks that are made with the key of this name.
    pub fn of(key: Mark) -> Imprints {
        Imprints { key, ..Imprints::default() }
    }

    /// What tells the key of the marks from others.
    pub fn key(&self) -> Mark {
        self.key
    }

    /// Whether the marks are made with this key.
    pub fn are_of(&self, key: Key) -> bool {
        self.key == key.name()
    }

    /// Takes the imprint of a catalog with these marks.
    pub fn take(&mut self, catalog: &Catalog, marks: &Marks) -> Option<Imprint> {
        let mut runs = Runs::default();
        for (resource, ResourceMarks { own, tags }) in catalog.resources.iter().zip(&marks.resources) {
            let file = match &resource.file {
                Some(file) => Some(number_of(&mut self.files, file.clone())?),
                None => None,
            };
            let tags = number_of(&mut self.tags, *tags)?;
            let placed = Placed { own: *own, tags, file, line: resource.line };
            runs.add(number_of(&mut self.resources, placed)?);
        }
        let shape = number_of(&mut self.shapes, shape(&catalog.edges))?;
        Some(Imprint { runs: runs.finish(), shape, classes: marks.classes })
    }

    /// The marks of the resources behind an imprint, in their order, with their places.
    pub fn resources(&self, imprint: &Imprint) -> Option<Vec<(ResourceMarks, Place<'_>)>> {
        let placed = |number: u32| {
            let placed = self.resources.get_index(number as usize)?;
            let file = match placed.file {
                Some(file) => Some(self.files.get_index(file as usize)?),
                None => None,
            };
            let tags = *self.tags.get_index(placed.tags as usize)?;
            Some((ResourceMarks { own: placed.own, tags }, Place { file, line: placed.line }))
        };
        numbers(&imprint.runs)?.into_iter().map(placed).collect()
    }

    /// The containments behind an imprint.
    pub fn edges(&self, imprint: &Imprint) -> Option<Vec<Edge>> {
        edges(self.shapes.get_index(imprint.shape as usize)?)
    }

    /// For moving imprints from here to another table.
    pub fn moving(&self) -> Moving<'_> {
        Moving { from: self, resources: vec![None; self.resources.len()] }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.mark(self.key);
        out.list(self.files.iter(), |out, file| out.text(file));
        out.list(self.tags.iter(), |out, tags| out.mark(*tags));
        out.list(self.resources.iter(), |out, placed| {
            out.mark(placed.own);
            out.number(u64::from(placed.tags));
            out.number(placed.file.map_or(0, |file| u64::from(file) + 1));
            out.number(placed.line.map_or(0, |line| u64::from(line) + 1));
        });
        out.list(self.shapes.iter(), |out, shape| out.block(shape));
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Imprints> {
        let optional = |number: u64| match number.checked_sub(1) {
            Some(number) => u32::try_from(number).ok().map(Some),
            None => Some(None),
        };
        Some(Imprints {
            key: reader.mark()?,
            files: reader.list(|reader| reader.text().map(Str::from))?.into_iter().collect(),
            tags: reader.list(Reader::mark)?.into_iter().collect(),
            resources: reader
                .list(|reader| {
                    let (own, tags) = (reader.mark()?, u32::try_from(reader.number()?).ok()?);
                    let (file, line) = (optional(reader.number()?)?, optional(reader.number()?)?);
                    Some(Placed { own, tags, file, line })
                })?
                .into_iter()
                .collect(),
            shapes: reader.list(|reader| reader.block().map(Box::from))?.into_iter().collect(),
        })
    }
}

/// What the resources of one table are in another. Most nodes have the same, so each is looked for once.
#[derive(Debug)]
pub struct Moving<'i> {
    from: &'i Imprints,
    resources: Vec<Option<u32>>,
}

impl Moving<'_> {
    /// An imprint as another table has it; `None` if its marks are made with another key.
    pub fn to(&mut self, table: &mut Imprints, imprint: &Imprint) -> Option<Imprint> {
        if self.from.key != table.key {
            return None;
        }
        let mut runs = Runs::default();
        for number in numbers(&imprint.runs)? {
            let known = self.resources.get_mut(number as usize)?;
            if known.is_none() {
                let placed = *self.from.resources.get_index(number as usize)?;
                let file = match placed.file {
                    Some(file) => {
                        let file = self.from.files.get_index(file as usize)?.clone();
                        Some(number_of(&mut table.files, file)?)
                    }
                    None => None,
                };
                let tags = *self.from.tags.get_index(placed.tags as usize)?;
                let tags = number_of(&mut table.tags, tags)?;
                *known = Some(number_of(&mut table.resources, Placed { file, tags, ..placed })?);
            }
            runs.add((*known)?);
        }
        let shape = self.from.shapes.get_index(imprint.shape as usize)?;
        let shape = match table.shapes.get_index_of(shape) {
            Some(known) => u32::try_from(known).ok()?,
            None => number_of(&mut table.shapes, shape.clone())?,
        };
        Some(Imprint { runs: runs.finish(), shape, classes: imprint.classes })
    }
}

impl Imprint {
    pub(super) fn write(&self, out: &mut Writer) {
        out.block(&self.runs);
        out.number(u64::from(self.shape));
        out.mark(self.classes);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Imprint> {
        Some(Imprint {
            runs: reader.block()?.into(),
            shape: u32::try_from(reader.number()?).ok()?,
            classes: reader.mark()?,
        })
    }
}

/// The number of something in a table, which it gets if it has none.
fn number_of<T: std::hash::Hash + Eq>(table: &mut IndexSet<T, FxBuildHasher>, thing: T) -> Option<u32> {
    u32::try_from(table.insert_full(thing).0).ok()
}

/// Numbers of which most follow each other.
#[derive(Default)]
struct Runs {
    out: Writer,
    /// Where the last run ended that was written.
    written: u32,
    /// The run that goes on.
    open: Option<(u32, u32)>,
}

impl Runs {
    fn add(&mut self, number: u32) {
        match &mut self.open {
            Some((_, end)) if *end == number => *end += 1,
            _ => {
                self.close();
                self.open = Some((number, number + 1));
            }
        }
    }

    fn close(&mut self) {
        if let Some((start, end)) = self.open.take() {
            self.out.step(self.written, start);
            self.out.number(u64::from(end - start));
            self.written = end;
        }
    }

    fn finish(mut self) -> Box<[u8]> {
        self.close();
        self.out.bytes.into()
    }
}

fn numbers(runs: &[u8]) -> Option<Vec<u32>> {
    let (mut reader, mut all, mut end) = (Reader::new(runs), Vec::new(), 0u32);
    while !reader.is_at_end() {
        let start = reader.step(end)?;
        end = start.checked_add(u32::try_from(reader.number()?).ok()?)?;
        if all.len().checked_add((end - start) as usize)? > MOST {
            return None;
        }
        all.extend(start..end);
    }
    Some(all)
}

fn shape(edges: &[Edge]) -> Box<[u8]> {
    let mut out = Writer::default();
    let (mut source, mut target) = (0, 0);
    for edge in edges {
        out.step(source, edge.source);
        out.step(target, edge.target);
        (source, target) = (edge.source, edge.target);
    }
    out.bytes.into()
}

fn edges(shape: &[u8]) -> Option<Vec<Edge>> {
    let (mut reader, mut all) = (Reader::new(shape), Vec::new());
    let (mut source, mut target) = (0, 0);
    while !reader.is_at_end() {
        (source, target) = (reader.step(source)?, reader.step(target)?);
        all.push(Edge { source, target });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiler, MemoryWorld, Node, SiteSpec};

    fn catalog(code: &str, node: &str) -> Catalog {
        let site = Compiler::new(MemoryWorld::default()).open(&SiteSpec::of(code)).unwrap();
        site.compile(&Node::named(node)).result.unwrap()
    }

    const CODE: &str = "
        class c { notify { 'one': tag => 'x' } notify { \"two on ${trusted['certname']}\": } }
        include c
        if $trusted['certname'] == 'db2' { notify { 'only there': } }";

    #[test]
    fn imprints_are_moved_written_and_read() {
        let key = Key::default();
        let mut table = Imprints::of(key.name());
        let mut taken = Vec::new();
        for node in ["web1", "db2", "web3"] {
            let catalog = catalog(CODE, node);
            let marks = Marks::of(&catalog, node, key).unwrap();
            taken.push((table.take(&catalog, &marks).unwrap(), marks, catalog));
        }
        let fits = |table: &Imprints, imprint: &Imprint, marks: &Marks, catalog: &Catalog| {
            let kept = table.resources(imprint).unwrap();
            assert!(kept.iter().map(|(own, _)| own).eq(&marks.resources));
            let places =
                catalog.resources.iter().map(|one| Place { file: one.file.as_ref(), line: one.line });
            assert!(kept.iter().map(|(_, place)| *place).eq(places));
            assert_eq!(table.edges(imprint).unwrap(), catalog.edges);
            assert_eq!(imprint.classes, marks.classes);
        };
        let mut other = Imprints::of(key.name());
        let mut moving = table.moving();
        let mut out = Writer::default();
        for (imprint, marks, catalog) in taken.iter().rev() {
            fits(&table, imprint, marks, catalog);
            let moved = moving.to(&mut other, imprint).unwrap();
            fits(&other, &moved, marks, catalog);
            moved.write(&mut out);
        }
        other.write(&mut out);
        let read = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes);
            let imprints = [(); 3].map(|()| Imprint::read(&mut reader));
            let table = Imprints::read(&mut reader)?;
            reader.is_at_end().then_some((imprints, table))
        };
        let (imprints, again) = read(&out.bytes).unwrap();
        for (imprint, (_, marks, catalog)) in imprints.iter().zip(taken.iter().rev()) {
            fits(&again, imprint.as_ref().unwrap(), marks, catalog);
        }
        assert!(taken[0].0.shape == taken[2].0.shape && taken[0].0.runs == taken[2].0.runs);
        let mut foreign = Imprints::of(Mark(1));
        assert!(moving.to(&mut foreign, &taken[0].0).is_none(), "it has another key");
        for length in 0..out.bytes.len() {
            assert!(read(&out.bytes[..length]).is_none(), "{length} of {} bytes", out.bytes.len());
        }
        for at in 0..out.bytes.len() {
            let mut damaged = out.bytes.clone();
            damaged[at] ^= 0xff;
            // Whether it is noticed is for the digest of the index to say; here nothing may go wrong.
            if let Some((imprints, table)) = read(&damaged) {
                for imprint in imprints.iter().flatten() {
                    let _ = (table.resources(imprint), table.edges(imprint));
                }
            }
        }
    }

    #[test]
    fn runs_hold_any_numbers() {
        for all in [vec![], vec![5], vec![0, 1, 2, 7, 8, 3, 3, 4, 0], vec![9, 8, 7]] {
            let mut runs = Runs::default();
            all.iter().for_each(|number| runs.add(*number));
            assert_eq!(numbers(&runs.finish()), Some(all));
        }
        assert_eq!(numbers(&[0, 0xff, 0xff, 0xff, 0xff, 7]), None, "so many nobody has");
    }
}
