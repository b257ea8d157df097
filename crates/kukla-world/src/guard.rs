//! A world behind a policy: the one place where files, commands and environment variables are allowed or refused.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use kukla_values::time::Timestamp;

use crate::commands::{self, CommandOutputs};
use crate::policy::{Clock, Effect, NOTHING, Policy, Randomness, Reach, Refusal};
use crate::record::{Digest, Ledger};
use crate::{
    Change, CommandOutput, Conversation, DirectoryEntry, FileError, FileResult, Ownership, Stamp, World,
};

/// A world behind a policy: it gives no more of the world than the policy allows.
///
/// It names no [`inner`](World::inner) world but states every method, so that a method that is added to [`World`] has no effect here until
/// someone has decided how the policy applies to it.
#[derive(Debug)]
pub struct Guarded<W> {
    world: W,
    policy: Policy,
    /// The paths that may be read, with links resolved; unused where everything may be read.
    admitted: RwLock<Vec<PathBuf>>,
    refused_commands: Arc<CommandNames>,
    /// The outputs of commands that need not run twice; none if each is to run.
    outputs: Option<Arc<CommandOutputs>>,
}

/// The names of commands that code tried to run.
#[derive(Debug, Default)]
pub struct CommandNames(Mutex<BTreeSet<String>>);

impl CommandNames {
    /// Adds the name of a command.
    pub fn add(&self, command: &[String]) {
        let name = command.first().cloned().unwrap_or_default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
    }

    /// The names so far, sorted.
    pub fn all(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<W: World> Guarded<W> {
    /// Puts a world behind a policy. If that confines the reading of files, only what it names itself can be read until
    /// more is admitted.
    pub fn new(world: W, policy: Policy) -> Guarded<W> {
        let guarded = Guarded {
            world,
            policy,
            admitted: RwLock::default(),
            refused_commands: Arc::default(),
            outputs: None,
        };
        let Policy { files, writes, answers, .. } = guarded.policy.clone();
        // What may be written may be read again.
        files.also.iter().chain(writes.below()).chain(&answers).for_each(|path| guarded.admit(path));
        guarded.admit(Path::new(NOTHING));
        guarded
    }

    /// The same, adding the commands that it refuses to these.
    #[must_use]
    pub fn reporting_commands(self, refused_commands: Arc<CommandNames>) -> Guarded<W> {
        Guarded { refused_commands, ..self }
    }

    /// The same, with these outputs of commands that depend on their arguments and the time alone, if the policy lets no time pass.
    #[must_use]
    pub fn remembering_commands(self, outputs: Arc<CommandOutputs>) -> Guarded<W> {
        let time_stands = matches!(self.policy.clock, Clock::Start | Clock::Fixed(_));
        Guarded { outputs: time_stands.then_some(outputs), ..self }
    }

    /// An error unless the policy allows a command.
    fn check_command(&self, command: &[String]) -> FileResult<()> {
        let program = command.first().map_or("", String::as_str);
        self.policy.check(Effect::Command(program)).map_err(|refusal| {
            self.refused_commands.add(command);
            FileError::Refused(refusal)
        })
    }

    /// Lets a file, or a directory with all that lies in it, be read from now on.
    pub fn admit(&self, path: &Path) {
        if self.policy.files.reach != Reach::Any {
            let path = self.world.resolve(path);
            self.admitted.write().unwrap_or_else(PoisonError::into_inner).push(path);
        }
    }

    /// Where a path leads, if that may be read.
    fn allowed<'p>(&self, path: &'p Path) -> Result<Cow<'p, Path>, Refusal> {
        let reach = self.policy.files.reach;
        if reach == Reach::Any {
            return Ok(path.into());
        }
        let real = self.world.resolve(path);
        let admitted = self.admitted.read().unwrap_or_else(PoisonError::into_inner);
        match admitted.iter().any(|root| real.starts_with(root)) {
            true => Ok(real.into()),
            false => Err(Refusal::to_read(path, reach)),
        }
    }

    /// The entries of a directory that may not be read which lead to admitted paths.
    fn list_on_the_way(&self, path: &Path) -> Vec<DirectoryEntry> {
        let real = self.world.resolve(path);
        let admitted = self.admitted.read().unwrap_or_else(PoisonError::into_inner);
        if !admitted.iter().any(|root| root.starts_with(&real)) {
            return Vec::new();
        }
        let mut entries = self.world.list(&real);
        entries.retain(|entry| admitted.iter().any(|root| root.starts_with(real.join(&entry.name))));
        entries
    }

    /// Where a path leads, if that may be changed.
    fn changeable(&self, path: &Path, change: Change<'_>) -> FileResult<PathBuf> {
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !change.follows_links() => self.world.resolve(parent).join(name),
            _ => self.world.resolve(path),
        };
        // Naming a directory is to say that it may be made.
        let leads_there = |root: &PathBuf| self.world.resolve(root).starts_with(&real);
        let is_on_the_way =
            matches!(change, Change::MakeDirectory(_)) && self.policy.writes.below().iter().any(leads_there);
        if is_on_the_way || self.policy.writes.cover(&self.world, &real) {
            return Ok(real);
        }
        Err(FileError::Refused(self.policy.writes.refusal(path, change)))
    }
}

impl<W: World> World for Guarded<W> {
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        // What was checked is what is read, not the link that led there.
        self.world.read(&self.allowed(path).map_err(FileError::Refused)?)
    }

    fn read_stamped(&self, path: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
        match self.allowed(path) {
            Ok(path) => self.world.read_stamped(&path),
            Err(refusal) => (None, Err(FileError::Refused(refusal))),
        }
    }

    fn list(&self, path: &Path) -> Vec<DirectoryEntry> {
        match self.allowed(path) {
            Ok(path) => self.world.list(&path),
            Err(_) => self.list_on_the_way(path),
        }
    }

    fn now(&self) -> Timestamp {
        match (self.policy.clock, self.policy.started) {
            (Clock::Fixed(time), _) | (Clock::Start, Some(time)) => time,
            _ => self.world.now(),
        }
    }

    fn seed(&self) -> Digest {
        match &self.policy.randomness {
            Randomness::On => self.world.seed(),
            Randomness::Seeded(seed) => Digest::of([seed]),
            Randomness::Off => Digest::of([""]),
        }
    }

    fn elapsed(&self) -> Duration {
        self.world.elapsed()
    }

    fn env(&self, name: &str) -> FileResult<Option<String>> {
        self.policy.check(Effect::DataVariable(name)).map_err(FileError::Refused)?;
        self.world.env(name)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.check_command(command)?;
        match &self.outputs {
            Some(outputs) if commands::is_function(command) => {
                outputs.get(command, || self.world.run(command))
            }
            _ => self.world.run(command),
        }
    }

    fn converse(&self, command: &[String]) -> FileResult<Box<dyn Conversation>> {
        let program = command.first().map_or("", String::as_str);
        if self.policy.ruby.as_deref() != Some(program) {
            self.check_command(command)?;
        }
        if self.policy.files.reach != Reach::Any {
            let why = "what it runs cannot be held to the bounds of `--files`";
            return Err(FileError::Other(format!("{program}: {why}")));
        }
        self.world.converse(command)
    }

    fn change(&self, path: &Path, change: Change<'_>) -> FileResult<()> {
        let real = self.changeable(path, change)?;
        match change {
            Change::Rename(to) => {
                let to = self.changeable(to, change)?;
                self.world.change(&real, Change::Rename(&to))
            }
            change => self.world.change(&real, change),
        }
    }

    fn ownership(&self, path: Option<&Path>) -> FileResult<Ownership> {
        self.policy.check(Effect::Ownership).map_err(FileError::Refused)?;
        match path {
            Some(path) => self.world.ownership(Some(&*self.allowed(path).map_err(FileError::Refused)?)),
            None => self.world.ownership(None),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.allowed(path).is_ok_and(|path| self.world.exists(&path))
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        self.world.stamp(&self.allowed(path).ok()?)
    }

    fn refusal(&self, path: &Path) -> Option<Refusal> {
        if self.policy.files.reach == Reach::Any { None } else { self.allowed(path).err() }
    }

    fn policy(&self) -> &Policy {
        &self.policy
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.world.resolve(path)
    }

    fn here(&self) -> PathBuf {
        self.world.here()
    }

    fn ledger(&self) -> Option<&Ledger> {
        self.world.ledger()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryWorld;
    use crate::policy::Files;

    fn guarded(files: &str) -> Guarded<MemoryWorld> {
        let mut world =
            MemoryWorld::default().with("/repo/a", "a").with("/repository/b", "b").with("/etc/c", "c");
        world.env.insert("HOME".into(), "/root".into());
        let policy = Policy { files: files.parse::<Files>().unwrap(), ..Policy::default() };
        let guarded = Guarded::new(world, policy);
        guarded.admit(Path::new("/repo"));
        guarded
    }

    #[test]
    fn only_what_is_admitted_can_be_had() {
        let world = guarded("repository,/etc/c");
        for path in ["/repo/a", "/repo/x/../a", "/etc/../repo/./a", "/etc/c"] {
            assert!(world.read(Path::new(path)).is_ok() && world.exists(Path::new(path)), "{path}");
        }
        for path in ["/repository/b", "/repo/../repository/b", "/etc", "/etc/d", "/", "/repo/../.."] {
            let path = Path::new(path);
            assert!(matches!(world.read(path), Err(FileError::Refused(_))), "{path:?}");
            assert!(!world.exists(path) && world.stamp(path).is_none());
            // A directory shows only what leads to an admitted path.
            let names: Vec<String> = world.list(path).into_iter().map(|entry| entry.name).collect();
            assert!(names.iter().all(|name| ["c", "etc", "repo"].contains(&name.as_str())), "{names:?}");
            assert!(
                world
                    .refusal(path)
                    .is_some_and(|refusal| refusal.to_string().contains("--files repository,"))
            );
        }
    }

    #[test]
    fn only_what_lies_below_a_directory_that_is_named_can_be_changed() {
        let policy = Policy { writes: "/srv/cache".parse().unwrap(), ..Policy::default() };
        let world = Guarded::new(MemoryWorld::default(), policy);
        let outcome = |path: &str, change: Change<'_>| world.change(Path::new(path), change).unwrap_err();
        let is_refused = |error: FileError| matches!(error, FileError::Refused(_));
        // The world in memory changes nothing, and says so in words of its own.
        for path in ["/srv/cache", "/srv/cache/a/b", "/srv/cache/../cache/a"] {
            assert!(!is_refused(outcome(path, Change::Remove)), "{path}");
        }
        for path in ["/srv", "/srv/caches", "/srv/cache/../other", "/"] {
            assert!(is_refused(outcome(path, Change::Mode(0o777))), "{path}");
        }
        assert!(!is_refused(outcome("/srv", Change::MakeDirectory(0o755))), "on the way to what is named");
        assert!(is_refused(outcome("/srv/other", Change::MakeDirectory(0o755))));
        assert!(is_refused(outcome("/srv/cache/a", Change::Rename(Path::new("/srv/b")))));
        assert!(
            world.ownership(None).is_ok() && {
                let policy = Policy { writes: crate::policy::Writes::Off, ..Policy::default() };
                Guarded::new(MemoryWorld::default(), policy).ownership(None).is_err()
            }
        );
        let refusal = outcome("/etc/passwd", Change::Remove).to_string();
        assert_eq!(
            refusal,
            "changing '/etc/passwd' is not allowed; `--writes /srv/cache,/etc` would allow it"
        );
    }

    /// A world that notes which of its methods were called.
    #[derive(Debug, Default)]
    struct Witness(std::sync::Mutex<Vec<&'static str>>);

    impl Witness {
        fn note(&self, method: &'static str) {
            self.0.lock().unwrap().push(method);
        }
    }

    impl World for Witness {
        fn read(&self, _: &Path) -> FileResult<Vec<u8>> {
            self.note("read");
            Ok(Vec::new())
        }

        fn read_stamped(&self, _: &Path) -> (Option<Stamp>, FileResult<Vec<u8>>) {
            self.note("read_stamped");
            (None, Ok(Vec::new()))
        }

        fn list(&self, _: &Path) -> Vec<DirectoryEntry> {
            self.note("list");
            Vec::new()
        }

        fn env(&self, _: &str) -> FileResult<Option<String>> {
            self.note("env");
            Ok(None)
        }

        fn run(&self, _: &[String]) -> FileResult<CommandOutput> {
            self.note("run");
            Ok(CommandOutput::default())
        }

        fn converse(&self, _: &[String]) -> FileResult<Box<dyn Conversation>> {
            self.note("converse");
            Err(FileError::NotFound)
        }

        fn change(&self, _: &Path, _: Change<'_>) -> FileResult<()> {
            self.note("change");
            Ok(())
        }

        fn ownership(&self, _: Option<&Path>) -> FileResult<Ownership> {
            self.note("ownership");
            Ok(Ownership::default())
        }

        fn exists(&self, _: &Path) -> bool {
            self.note("exists");
            true
        }

        fn stamp(&self, _: &Path) -> Option<Stamp> {
            self.note("stamp");
            None
        }
    }

    #[test]
    fn a_policy_that_allows_nothing_refuses_every_effect() {
        let policy = Policy {
            files: "repository".parse().unwrap(),
            variables: crate::policy::Variables::Off,
            writes: crate::policy::Writes::Off,
            ..Policy::default()
        };
        let world = Guarded::new(Witness::default(), policy);
        let (path, command) = (Path::new("/etc/passwd"), ["/bin/true".to_owned()]);
        let is_refused = |error: Option<FileError>| matches!(error, Some(FileError::Refused(_)));
        assert!(is_refused(world.read(path).err()));
        assert!(is_refused(world.read_stamped(path).1.err()) && world.read_stamped(path).0.is_none());
        assert!(world.list(path).is_empty() && !world.exists(path) && world.stamp(path).is_none());
        assert!(is_refused(world.env("HOME").err()));
        assert!(is_refused(world.run(&command).err()) && is_refused(world.converse(&command).err()));
        for change in [
            Change::Put { at: 0, bytes: b"x" },
            Change::Resize(0),
            Change::MakeDirectory(0o755),
            Change::Remove,
            Change::RemoveDirectory,
            Change::Rename(path),
            Change::Mode(0o777),
            Change::Owner(Some(0), None),
            Change::Times(0, 0),
        ] {
            assert!(is_refused(world.change(path, change).err()), "{change:?}");
        }
        assert!(is_refused(world.ownership(Some(path)).err()) && is_refused(world.ownership(None).err()));
        assert_eq!(*world.world.0.lock().unwrap(), [""; 0], "these reached the world behind the guard");
        assert!(world.inner().is_none(), "a method that the guard does not state would reach past it");
    }

    #[test]
    fn commands_that_depend_on_the_time_alone_run_once_while_it_stands() {
        let runs = |clock: Clock, command: &[&str]| {
            let policy = Policy { commands: crate::policy::Commands::On, clock, ..Policy::default() };
            let world = Guarded::new(Witness::default(), policy).remembering_commands(Arc::default());
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            for _ in 0..3 {
                assert!(world.run(&command).is_ok());
            }
            world.world.0.lock().unwrap().len()
        };
        let calendar = ["/usr/bin/systemd-analyze", "calendar", "daily"];
        assert_eq!(runs(Clock::Start, &calendar), 1);
        assert_eq!(runs(Clock::On, &calendar), 3, "the output names the present");
        assert_eq!(runs(Clock::Start, &["systemd-analyze", "verify", "a.service"]), 3, "it reads files");
        assert_eq!(runs(Clock::Start, &["/bin/date"]), 3);
    }

    #[test]
    fn without_bounds_everything_can_be_read_and_nothing_run() {
        let world = guarded("any");
        assert!(world.read(Path::new("/etc/c")).is_ok() && world.refusal(Path::new("/etc/c")).is_none());
        assert_eq!(world.env("HOME"), Ok(Some("/root".to_owned())));
        assert!(matches!(world.run(&["/bin/true".to_owned()]), Err(FileError::Refused(_))));
    }
}
