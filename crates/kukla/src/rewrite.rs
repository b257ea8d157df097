//! Rewriting source files: the only way in which fixes and the formatter change a repository.
//!
//! A file is identified by its real path, so a file with two names is rewritten once. It is replaced only if it still has the text
//! that was checked, and only if it lies below the root. The new text is written beside the old one and renamed, with the owner
//! and the mode of the old one, so a full disk or a crash leaves the original.
//!
//! ```
//! use kukla::rewrite::{Rewriter, Rewritten};
//! use kukla::syntax::ProblemKind;
//!
//! # let root = std::env::temp_dir().join(format!("kukla-doc-rewrite-{}", std::process::id()));
//! # std::fs::create_dir_all(&root)?;
//! let path = root.join("site.pp");
//! std::fs::write(&path, "notice( 1 )")?;
//!
//! let mut rewriter = Rewriter::within(&root)?;
//! assert_eq!(rewriter.replace(&path, "notice( 1 )", "notice(1)")?, Rewritten::Changed);
//! assert_eq!(std::fs::read_to_string(&path)?, "notice(1)");
//!
//! // The same change of the same file, which another name leads to.
//! std::os::unix::fs::symlink("site.pp", root.join("link.pp"))?;
//! assert_eq!(rewriter.replace(&root.join("link.pp"), "notice( 1 )", "notice(1)")?, Rewritten::Before);
//!
//! // Another program has changed the file since.
//! std::fs::write(&path, "notice(2)")?;
//! let problem = rewriter.replace(&path, "notice(1)", "notice(3)").expect_err("it has another text");
//! assert_eq!(problem.kind(), ProblemKind::Conflict);
//!
//! // A path that leads out of the root.
//! let problem = rewriter.replace("/etc/hostname".as_ref(), "", "").expect_err("it lies outside");
//! assert_eq!(problem.kind(), ProblemKind::Denied);
//! # std::fs::remove_dir_all(&root)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(clippy::disallowed_methods)] // it rewrites files on the disk

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use kukla_syntax::{Problem, ProblemKind};

use crate::disk::{NO_LINK, NO_TERMINAL, NONBLOCKING, regular};
use crate::pending::Pending;

/// Rewrites source files below one directory.
#[derive(Debug)]
pub struct Rewriter {
    /// The real path of the directory.
    root: PathBuf,
    /// The texts that were written, by real path.
    written: BTreeMap<PathBuf, Texts>,
}

/// The text that was checked, and the one that replaces it.
#[derive(Debug, PartialEq, Eq)]
struct Texts {
    checked: String,
    new: String,
}

/// The result of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewritten {
    /// The file has the new text.
    Changed,
    /// The new text is the one that the file had.
    Same,
    /// The file was rewritten before, under this name or another one, with the same result.
    Before,
}

impl Rewriter {
    /// A rewriter of the files below a directory.
    pub fn within(root: &Path) -> Result<Rewriter, Problem> {
        let root = root.canonicalize().map_err(|error| Problem::io("read", root, &error))?;
        Ok(Rewriter { root, written: BTreeMap::new() })
    }

    /// The real path of a source file, which all of its names share; a problem of kind [`Denied`](ProblemKind::Denied) if it lies
    /// outside of the root. Group changes by this path, so that those of a file with two names are made together.
    pub fn real_path(&self, path: &Path) -> Result<PathBuf, Problem> {
        let real = path.canonicalize().map_err(|error| Problem::io("rewrite", path, &error))?;
        if real.starts_with(&self.root) {
            return Ok(real);
        }
        let outside = format!("it lies outside of {}", self.root.display());
        let outside =
            if real == path { outside } else { format!("it leads to {}, and {outside}", real.display()) };
        Err(Problem::new(ProblemKind::Denied, "cannot rewrite").on(path.display()).because(outside))
    }

    /// Replaces the text of a file. The text that was checked must be the one that it still has; otherwise the file stays as it is,
    /// and the problem is of kind [`Conflict`](ProblemKind::Conflict).
    pub fn replace(&mut self, path: &Path, checked: &str, new: &str) -> Result<Rewritten, Problem> {
        let real = self.real_path(path)?;
        if let Some(before) = self.written.get(&real) {
            if before.checked == checked && before.new == new {
                return Ok(Rewritten::Before);
            }
            if before.new != checked {
                return Err(conflict(path, "it was rewritten before, under this name or another one"));
            }
        }
        let original = Original::open(&real).map_err(|error| Problem::io("rewrite", path, &error))?;
        if original.bytes != checked.as_bytes() {
            return Err(conflict(path, "it has changed since it was checked"));
        }
        if new == checked {
            return Ok(Rewritten::Same);
        }
        let pending = Pending::write_like(&real, new.as_bytes(), &original.about).map_err(|error| {
            let problem = Problem::io("rewrite", path, &error);
            let is_foreign = error.kind() == io::ErrorKind::PermissionDenied;
            if is_foreign {
                problem.help("run this as the owner of the file and its directory")
            } else {
                problem
            }
        })?;
        // Writing takes a while; this is the last moment to see that another program was faster.
        if !original.is_at(&real) || self.real_path(path).ok().as_deref() != Some(&*real) {
            return Err(conflict(path, "it has changed since it was checked"));
        }
        pending.finish().map_err(|error| Problem::io("rewrite", path, &error))?;
        self.written.insert(real, Texts { checked: checked.to_owned(), new: new.to_owned() });
        Ok(Rewritten::Changed)
    }
}

fn conflict(path: &Path, why: &str) -> Problem {
    Problem::new(ProblemKind::Conflict, "cannot rewrite")
        .on(path.display())
        .because(why)
        .help("run the command again")
}

/// A file as it is before it is replaced.
struct Original {
    bytes: Vec<u8>,
    about: Metadata,
}

impl Original {
    /// Reads a file, which must be a regular one. A file that its user has protected from writing is not replaced either, so it is opened
    /// for writing, too.
    fn open(real: &Path) -> io::Result<Original> {
        let flags = NONBLOCKING | NO_TERMINAL | NO_LINK;
        let mut file = File::options().read(true).write(true).custom_flags(flags).open(real)?;
        let about = file.metadata()?;
        regular(&about)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Original { bytes, about })
    }

    /// Whether the same file, unchanged, is still at a path.
    fn is_at(&self, real: &Path) -> bool {
        let identity = |about: &Metadata| {
            (
                about.dev(),
                about.ino(),
                about.len(),
                about.mtime(),
                about.mtime_nsec(),
                about.ctime(),
                about.ctime_nsec(),
            )
        };
        std::fs::symlink_metadata(real).is_ok_and(|now| identity(&now) == identity(&self.about))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A directory with a repository `repo` in it, gone at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let root = std::env::temp_dir().join(format!("kukla-rewrite-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&root);
            std::fs::create_dir_all(root.join("repo")).unwrap();
            Scratch(root.canonicalize().unwrap())
        }

        fn put(&self, path: &str, text: &str) -> PathBuf {
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        }

        fn text(&self, path: &str) -> String {
            std::fs::read_to_string(self.0.join(path)).unwrap()
        }

        fn rewriter(&self) -> Rewriter {
            Rewriter::within(&self.0.join("repo")).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_mode_stays_and_nothing_else_is_left() {
        let scratch = Scratch::new("mode");
        let path = scratch.put("repo/a.pp", "old");
        for mode in [0o600, 0o640, 0o755, 0o4755] {
            std::fs::write(&path, "old").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(scratch.rewriter().replace(&path, "old", "new").unwrap(), Rewritten::Changed);
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
            assert_eq!(scratch.text("repo/a.pp"), "new");
        }
        assert_eq!(std::fs::read_dir(scratch.0.join("repo")).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link_and_its_target_is_rewritten_once() {
        let scratch = Scratch::new("link");
        let path = scratch.put("repo/a.pp", "old");
        let link = scratch.0.join("repo/b.pp");
        symlink("a.pp", &link).unwrap();
        symlink(".", scratch.0.join("repo/here")).unwrap();
        let mut rewriter = scratch.rewriter();
        assert_eq!(rewriter.replace(&link, "old", "new").unwrap(), Rewritten::Changed);
        assert_eq!(rewriter.replace(&path, "old", "new").unwrap(), Rewritten::Before);
        assert_eq!(
            rewriter.replace(&scratch.0.join("repo/here/b.pp"), "old", "new").unwrap(),
            Rewritten::Before
        );
        let other = rewriter.replace(&path, "old", "other").unwrap_err();
        assert_eq!(other.kind(), ProblemKind::Conflict);
        assert_eq!(rewriter.replace(&path, "new", "newer").unwrap(), Rewritten::Changed);
        assert!(link.is_symlink());
        assert_eq!(scratch.text("repo/a.pp"), "newer");
    }

    #[test]
    fn nothing_outside_of_the_root_is_touched() {
        let scratch = Scratch::new("outside");
        let outside = scratch.put("elsewhere/a.pp", "old");
        symlink("../elsewhere", scratch.0.join("repo/directory")).unwrap();
        symlink("../elsewhere/a.pp", scratch.0.join("repo/file.pp")).unwrap();
        // The name of another directory begins like that of the root.
        let beside = scratch.put("repository/a.pp", "old");
        let mut rewriter = scratch.rewriter();
        let within = |name: &str| scratch.0.join("repo").join(name);
        for path in
            [outside, beside, within("directory/a.pp"), within("file.pp"), within("../elsewhere/a.pp")]
        {
            let problem = rewriter.replace(&path, "old", "new").unwrap_err();
            assert_eq!(problem.kind(), ProblemKind::Denied, "{problem}");
        }
        assert_eq!(
            (scratch.text("elsewhere/a.pp"), scratch.text("repository/a.pp")),
            ("old".into(), "old".into())
        );
    }

    #[test]
    fn a_text_that_was_not_checked_is_not_replaced() {
        let scratch = Scratch::new("changed");
        let path = scratch.put("repo/a.pp", "other");
        let problem = scratch.rewriter().replace(&path, "old", "new").unwrap_err();
        assert_eq!(problem.kind(), ProblemKind::Conflict);
        assert_eq!(scratch.text("repo/a.pp"), "other");
        let gone = scratch.rewriter().replace(&scratch.0.join("repo/b.pp"), "", "new").unwrap_err();
        assert_eq!(gone.kind(), ProblemKind::NotFound);
        let directory = scratch.rewriter().replace(&scratch.0.join("repo"), "", "new").unwrap_err();
        assert!(directory.to_string().starts_with("cannot rewrite"), "{directory}");
    }

    #[test]
    fn pipes_and_sockets_are_refused_at_once() {
        let scratch = Scratch::new("pipe");
        let path = scratch.0.join("repo/a.pp");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(scratch.rewriter().replace(&path, "", "new").is_err());
        let pipe = scratch.0.join("repo/b.pp");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let problem = scratch.rewriter().replace(&pipe, "", "new").unwrap_err();
        assert!(problem.to_string().contains("a device or a pipe"), "{problem}");
    }
}
