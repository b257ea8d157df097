//! A directory of a test's own, with a store and a control repository.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kukla_modules::install::{InstallOptions, InstallReport, install};
use kukla_modules::lock::{Lock, LockOptions, NewLock};
use kukla_modules::network::NetworkOptions;
use kukla_modules::puppetfile::{Puppetfile, ReadOptions};
use kukla_modules::sources::{ControlRepository, Silent, SourceOptions, Sources};
use kukla_modules::store::Store;
use kukla_syntax::Problem;
use kukla_world::MemoryWorld;

use super::forge::Server;

/// A directory that is removed at the end.
pub struct Scratch {
    pub root: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let root = std::env::temp_dir().join(format!("kukla-modules-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("control")).unwrap();
        Scratch { root: root.canonicalize().unwrap() }
    }

    pub fn control(&self) -> ControlRepository {
        ControlRepository { base: self.root.join("control"), branch: Some("main".to_owned()) }
    }

    pub fn sources(&self, server: &Server) -> Sources {
        self.sources_with(server, |_| {})
    }

    pub fn sources_with(&self, server: &Server, change: impl FnOnce(&mut SourceOptions)) -> Sources {
        let network =
            NetworkOptions { retries: 0, patience: Duration::from_secs(5), ..NetworkOptions::default() };
        let mut options = SourceOptions {
            forge: Some(server.url.clone()),
            network,
            threads: 4,
            ..SourceOptions::default()
        };
        change(&mut options);
        Sources::new(Store::open(&self.root.join("store")).unwrap(), options)
    }

    pub fn puppetfile(&self, text: &str) -> Puppetfile {
        let path = self.control().base.join("Puppetfile");
        Puppetfile::evaluate(&MemoryWorld::default(), &path, text.as_bytes(), &ReadOptions::default())
            .unwrap()
    }

    pub fn lock(&self, sources: &Sources, text: &str) -> Result<NewLock, Problem> {
        sources.lock(&self.puppetfile(text), &self.control(), &LockOptions::default(), &Silent)
    }

    pub fn pin(&self, sources: &Sources, text: &str) -> Result<Lock, Problem> {
        let mut lock = sources.pin(&self.puppetfile(text), &self.control())?;
        sources.fetch(&mut lock, &self.control(), &Silent)?;
        Ok(lock)
    }

    pub fn install(
        &self,
        sources: &Sources,
        lock: &Lock,
        options: InstallOptions,
    ) -> Result<InstallReport, Problem> {
        install(&sources.store, lock, &self.control().base, options)
    }

    /// All files below a directory of the control repository, with their mode and content.
    pub fn files(&self, directory: &str) -> BTreeMap<String, (u32, String)> {
        let mut files = BTreeMap::new();
        collect(&self.control().base.join(directory), "", &mut files);
        files
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut BTreeMap<String, (u32, String)>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata().unwrap();
        if about.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else if about.is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap();
            files.insert(name, (0, format!("-> {}", target.display())));
        } else {
            let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
            files.insert(name, (about.permissions().mode() & 0o777, text));
        }
    }
}
