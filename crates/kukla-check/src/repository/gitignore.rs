//! The directories that git ignores.

use std::path::{Path, PathBuf};

use kukla::world::World;

/// The patterns of the `.gitignore` files at and above a directory.
#[derive(Debug, Default)]
pub struct GitIgnore {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    /// The directory of the file that has it.
    base: PathBuf,
    text: String,
    is_anchored: bool,
    is_negated: bool,
}

impl GitIgnore {
    /// Reads the files from the top of the working tree down to a directory.
    pub fn read(world: &dyn World, directory: &Path) -> GitIgnore {
        let mut ignore = GitIgnore::default();
        let Some(top) = directory.ancestors().find(|above| world.exists(&above.join(".git"))) else {
            return ignore;
        };
        let mut bases: Vec<&Path> =
            directory.ancestors().take_while(|above| above.starts_with(top)).collect();
        bases.reverse();
        for base in bases {
            let text = world.read(&base.join(".gitignore")).unwrap_or_default();
            ignore.add(base, &String::from_utf8_lossy(&text));
        }
        ignore
    }

    fn add(&mut self, base: &Path, text: &str) {
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (is_negated, line) = match line.strip_prefix('!') {
                Some(rest) => (true, rest),
                None => (false, line),
            };
            let line = line.trim_end_matches('/').trim_end_matches("/**");
            let is_anchored = line.contains('/');
            let text = line.trim_start_matches('/').to_owned();
            self.patterns.push(Pattern { base: base.to_owned(), text, is_anchored, is_negated });
        }
    }

    /// Whether git ignores a directory, or one above it.
    pub fn ignores(&self, directory: &Path) -> bool {
        let mut above: Vec<&Path> = directory.ancestors().collect();
        above.reverse();
        above.into_iter().any(|path| {
            let last = self.patterns.iter().rev().find(|pattern| pattern.covers(path));
            last.is_some_and(|pattern| !pattern.is_negated)
        })
    }
}

impl Pattern {
    fn covers(&self, path: &Path) -> bool {
        let Ok(inside) = path.strip_prefix(&self.base) else { return false };
        if inside.as_os_str().is_empty() {
            return false;
        }
        if self.is_anchored {
            return crate::config::matches(&self.text, &inside.to_string_lossy());
        }
        let name = inside.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| crate::config::matches(&self.text, &name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories() {
        let mut ignore = GitIgnore::default();
        ignore.add(Path::new("/r"), "# external\n/modules/*\n!/modules/own\nvendor/\npuppet/external\n");
        let ignores = |path| ignore.ignores(Path::new(path));
        assert!(
            ignores("/r/modules/apt") && ignores("/r/modules/apt/manifests") && !ignores("/r/modules/own")
        );
        assert!(ignores("/r/x/vendor/y") && ignores("/r/puppet/external/apt") && !ignores("/r/site/profile"));
    }
}
