//! The settings of the formatter and the linter: the tables `fmt` and `lint` of `kukla.toml`, and `.editorconfig`.
//!
//! ```
//! use std::path::Path;
//! use kukla::MemoryWorld;
//! use kukla::style::{FormatSettings, LintTable};
//!
//! let world = MemoryWorld::default().with("/site/kukla.toml", "[fmt]\nindent = 4\n[lint.rules]\n140chars = 'off'");
//! let file = Path::new("/site/modules/web/manifests/init.pp");
//! assert_eq!(FormatSettings::default().options(&world, file)?.indent, 4);
//! assert!(!LintTable::find(&world, file)?.selection(None)?.rules.iter().any(|rule| rule.name() == "140chars"));
//! # Ok::<(), kukla::syntax::Problem>(())
//! ```

mod format;
mod lint;

use std::path::{Path, PathBuf};

use kukla_syntax::Problem;
use kukla_world::{FileError, World};

pub use format::FormatSettings;
pub use lint::{LintTable, find_rule};

/// The text of a configuration file, if there is one that may be read.
fn read(world: &dyn World, path: &Path) -> Result<Option<String>, Problem> {
    let cannot_read = |reason: String| Problem::other("cannot read").on(path.display()).because(reason);
    match world.read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(cannot_read("it is not valid UTF-8".to_owned())),
        },
        Err(FileError::NotFound | FileError::Refused(_)) => Ok(None),
        // A path below a file has no files, either.
        Err(FileError::Other(_)) if !world.exists(path) => Ok(None),
        Err(FileError::Other(why)) => Err(cannot_read(why)),
    }
}

/// A path from the root of the file system.
fn absolute(world: &dyn World, path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { world.here().join(path) }
}
