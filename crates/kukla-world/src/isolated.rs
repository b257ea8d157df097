//! The world of one compilation: effects that end with it and do not make its catalog vary.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use kukla_values::time::Timestamp;

use crate::policy::{Clock, NOTHING, Randomness, Writes};
use crate::record::{Digest, Record, Tracker};
use crate::scratch::Scratch;
use crate::{Change, DirectoryEntry, FileResult, Ownership, Stamp, World};

/// The world of one compilation. By the policy, its clock does not advance, its random numbers follow from the name of the node, and
/// changes of files are seen by this compilation only.
///
/// ```
/// use std::path::Path;
/// use kukla_world::{Change, Isolated, MemoryWorld, World};
///
/// let world = MemoryWorld::default().with("/etc/motd", "hello");
/// let compilation = Isolated::new(&world, "web1.example.com");
/// compilation.change(Path::new("/etc/motd"), Change::Put { at: 5, bytes: b"!" })?;
/// assert_eq!(compilation.read(Path::new("/etc/motd"))?, b"hello!");
/// assert_eq!(world.read(Path::new("/etc/motd"))?, b"hello");
/// # Ok::<(), kukla_world::FileError>(())
/// ```
#[derive(Debug)]
pub struct Isolated<'w> {
    world: &'w dyn World,
    /// Records the inputs of the compilation, if the world is recorded.
    tracker: Option<Tracker<'w>>,
    /// The node's name, from which random numbers follow.
    name: &'w str,
    started: OnceLock<Timestamp>,
    /// The number of generators of random numbers so far.
    generators: AtomicU64,
    scratch: Mutex<Scratch>,
    /// Whether any file was changed; until then nothing has to be searched for among the changes.
    has_changes: AtomicBool,
}

impl<'w> Isolated<'w> {
    /// The world of the compilation for a node.
    pub fn new(world: &'w dyn World, name: &'w str) -> Isolated<'w> {
        Isolated {
            world,
            tracker: Tracker::new(world),
            name,
            started: OnceLock::new(),
            generators: AtomicU64::new(0),
            scratch: Mutex::default(),
            has_changes: AtomicBool::new(false),
        }
    }

    /// Records the inputs of the compilation, if the world is recorded.
    pub fn tracker(&self) -> Option<&Tracker<'w>> {
        self.tracker.as_ref()
    }

    /// The recorded inputs so far, after which nothing more is recorded; `None` unless the world is recorded.
    pub fn take_record(&mut self) -> Option<Record> {
        self.tracker.take().map(Tracker::into_record)
    }

    /// Whether random numbers were drawn that follow from the node's name.
    pub fn has_seeded_numbers(&self) -> bool {
        self.generators.load(Ordering::Relaxed) > 0 && self.world.policy().randomness != Randomness::On
    }

    fn below(&self) -> &dyn World {
        match &self.tracker {
            Some(tracker) => tracker,
            None => self.world,
        }
    }

    /// The changes, if there are any, and where a path leads among them.
    fn changes(&self, path: &Path) -> Option<(MutexGuard<'_, Scratch>, PathBuf)> {
        let has_changes = self.has_changes.load(Ordering::Relaxed);
        has_changes.then(|| (self.lock(), self.below().resolve(path)))
    }

    fn lock(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl World for Isolated<'_> {
    fn inner(&self) -> Option<&dyn World> {
        Some(self.below())
    }

    fn now(&self) -> Timestamp {
        match self.world.policy().clock {
            Clock::Start => *self.started.get_or_init(|| self.below().now()),
            Clock::Fixed(_) | Clock::On | Clock::Off => self.below().now(),
        }
    }

    fn seed(&self) -> Digest {
        let generator = self.generators.fetch_add(1, Ordering::Relaxed);
        let Digest(seed) = self.below().seed();
        Digest::of([&seed, self.name.as_bytes(), &generator.to_le_bytes()])
    }

    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let changed = self.changes(path).and_then(|(scratch, real)| scratch.read(&real));
        changed.unwrap_or_else(|| self.below().read(path))
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.changes(path) {
            Some((scratch, real)) => scratch.list(&real, self.below()),
            None => self.below().list(path),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        let changed = self.changes(path).and_then(|(scratch, real)| scratch.exists(&real));
        changed.unwrap_or_else(|| self.below().exists(path))
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let changed = self.changes(path).and_then(|(scratch, real)| scratch.stamp(&real));
        changed.unwrap_or_else(|| self.below().stamp(path))
    }

    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        let changed =
            path.and_then(|path| self.changes(path)).and_then(|(scratch, real)| scratch.ownership(&real));
        changed.unwrap_or_else(|| self.below().ownership(path))
    }

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        if self.world.policy().writes != Writes::Scratch {
            return self.below().change(path, change);
        }
        if path.as_os_str() == NOTHING {
            return Ok(());
        }
        let below = self.below();
        let real = |path: &Path| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !change.follows_links() => below.resolve(parent).join(name),
            _ => below.resolve(path),
        };
        self.has_changes.store(true, Ordering::Relaxed);
        match change {
            Change::Rename(to) => self.lock().change(below, &real(path), Change::Rename(&real(to))),
            change => self.lock().change(below, &real(path), change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Clock, Policy};
    use crate::{FileError, Guarded, MemoryWorld, Opening};

    fn at(path: &str) -> &Path {
        Path::new(path)
    }

    const CREATE: Change<'_> =
        Change::Open(Opening { create: true, new: false, truncate: true, mode: 0o640 });

    fn names(world: &dyn World, path: &str) -> Vec<String> {
        world.list(at(path)).into_iter().map(|entry| entry.name).collect()
    }

    fn code(outcome: FileResult<()>) -> String {
        match outcome {
            Ok(()) => "ok".to_owned(),
            Err(FileError::NotFound) => "not found".to_owned(),
            Err(error) => error
                .to_string()
                .rsplit_once("(os error ")
                .map_or_else(String::new, |(_, code)| code.to_owned()),
        }
    }

    #[test]
    fn a_compilation_sees_its_changes_and_nobody_else_does() {
        let world = MemoryWorld::default().with("/srv/a", "one").with("/srv/d/b", "two");
        let mine = Isolated::new(&world, "web1");
        let other = Isolated::new(&world, "web1");
        mine.change(at("/srv/new"), CREATE).unwrap();
        mine.change(at("/srv/new"), Change::Put { at: 2, bytes: b"xy" }).unwrap();
        assert_eq!(mine.read(at("/srv/new")).unwrap(), b"\0\0xy");
        assert_eq!(mine.ownership(Some(at("/srv/new"))).unwrap().mode, 0o100_640);
        mine.change(at("/srv/a"), Change::Resize(1)).unwrap();
        mine.change(at("/srv/d/b"), Change::Remove).unwrap();
        assert_eq!(mine.read(at("/srv/a")).unwrap(), b"o");
        assert!(!mine.exists(at("/srv/d/b")) && mine.stamp(at("/srv/d/b")).is_none());
        assert_eq!(names(&mine, "/srv"), ["a", "d", "new"]);
        assert_eq!(names(&mine, "/srv/d"), [""; 0]);
        mine.change(at("/srv/d"), Change::RemoveDirectory).unwrap();
        assert_eq!(names(&mine, "/srv"), ["a", "new"]);
        for unchanged in [&other as &dyn World, &world] {
            assert_eq!(unchanged.read(at("/srv/a")).unwrap(), b"one");
            assert_eq!(names(unchanged, "/srv"), ["a", "d"]);
        }
    }

    #[test]
    fn changes_fail_as_they_would_on_a_disk() {
        let world = MemoryWorld::default().with("/srv/a", "one").with("/srv/d/b", "two");
        let it = Isolated::new(&world, "web1");
        let new = Change::Open(Opening { create: true, new: true, truncate: false, mode: 0o600 });
        let existing = Change::Open(Opening { create: false, new: false, truncate: false, mode: 0 });
        for (path, change, expected) in [
            ("/srv/none/x", CREATE, "not found"),
            ("/srv/a/x", CREATE, "20)"),
            ("/srv/d", CREATE, "21)"),
            ("/srv/a", new, "17)"),
            ("/srv/x", existing, "not found"),
            ("/srv/x", Change::Put { at: 0, bytes: b"x" }, "not found"),
            ("/srv/d", Change::MakeDirectory(0o755), "17)"),
            ("/srv/x/y", Change::MakeDirectory(0o755), "not found"),
            ("/srv/d", Change::RemoveDirectory, "39)"),
            ("/srv/d", Change::Remove, "21)"),
            ("/srv/a", Change::RemoveDirectory, "20)"),
            ("/srv/x", Change::Remove, "not found"),
            ("/srv/x", Change::Mode(0o600), "not found"),
            ("/srv/d", Change::Rename(at("/srv/d/e")), "22)"),
            ("/srv/a", Change::Rename(at("/srv/d")), "21)"),
            ("/srv/a", Change::Resize(1 << 40), "27)"),
            ("/srv/a", Change::Put { at: u64::MAX, bytes: b"x" }, "27)"),
            ("/dev/null", Change::Put { at: 0, bytes: b"x" }, "ok"),
        ] {
            assert_eq!(code(it.change(at(path), change)), expected, "{path} {change:?}");
        }
        assert_eq!(it.read(at("/srv/a")).unwrap(), b"one");
    }

    #[test]
    fn a_directory_moves_with_everything_in_it() {
        let world = MemoryWorld::default().with("/srv/d/b", "two").with("/srv/d/e/c", "three");
        let it = Isolated::new(&world, "web1");
        it.change(at("/srv/d/new"), CREATE).unwrap();
        it.change(at("/srv/d"), Change::Rename(at("/srv/f"))).unwrap();
        assert_eq!(names(&it, "/srv"), ["f"]);
        assert_eq!(names(&it, "/srv/f"), ["b", "e", "new"]);
        assert_eq!(it.read(at("/srv/f/e/c")).unwrap(), b"three");
        assert!(!it.exists(at("/srv/d/e/c")));
    }

    #[test]
    fn changes_have_a_limit() {
        let world = MemoryWorld::default();
        let it = Isolated::new(&world, "web1");
        for name in ["/a", "/b"] {
            it.change(at(name), CREATE).unwrap();
        }
        it.change(at("/a"), Change::Resize(40 << 20)).unwrap();
        assert_eq!(code(it.change(at("/b"), Change::Resize(40 << 20))), "28)");
        assert_eq!(it.read(at("/b")).unwrap(), b"");
        it.change(at("/a"), Change::Resize(0)).unwrap();
        it.change(at("/b"), Change::Resize(40 << 20)).unwrap();
    }

    #[test]
    fn seeds_follow_from_the_node_and_the_policy() {
        let guarded = |randomness: &str| {
            let policy = Policy { randomness: randomness.parse().unwrap(), ..Policy::default() };
            Guarded::new(MemoryWorld::default(), policy)
        };
        let (plain, other) = (guarded("seeded"), guarded("seeded:other"));
        let (web1, again, web2) =
            (Isolated::new(&plain, "web1"), Isolated::new(&plain, "web1"), Isolated::new(&plain, "web2"));
        let first = web1.seed();
        assert_eq!(first, again.seed());
        assert_ne!(first, web1.seed(), "a second generator is another one");
        assert_ne!(first, web2.seed());
        assert_ne!(first, Isolated::new(&other, "web1").seed());
        assert!(web1.has_seeded_numbers() && !Isolated::new(&plain, "web1").has_seeded_numbers());
    }

    #[test]
    fn the_clock_stands_still_unless_the_policy_lets_it_run() {
        let fixed = "fixed:1000".parse().unwrap();
        for (clock, expected) in [(fixed, 1000), (Clock::Start, 5), (Clock::On, 5)] {
            let world = MemoryWorld { now: 5_000_000_000, ..MemoryWorld::default() };
            let guarded = Guarded::new(world, Policy { clock, ..Policy::default() });
            assert_eq!(Isolated::new(&guarded, "web1").now(), Timestamp::from_seconds(expected));
        }
    }
}
