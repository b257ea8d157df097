//! The modules that the Puppetfiles of a repository install.

use std::path::{Path, PathBuf};

use kukla::world::World;
use rustc_hash::FxHashSet;

/// A Puppetfile: the modules that it names, and the directory that they are installed in.
#[derive(Debug)]
pub struct Puppetfile {
    /// The directory of the modules.
    pub directory: PathBuf,
    /// The names of the modules, without their authors.
    pub modules: FxHashSet<String>,
    /// Whether it may install further modules, with names that are computed or in other files.
    pub is_open: bool,
}

impl Puppetfile {
    /// All Puppetfiles in a directory, such as `Puppetfile` and `Puppetfile.vendor`.
    pub fn all(world: &dyn World, directory: &Path) -> Vec<Puppetfile> {
        let mut names: Vec<String> = world.list(directory).into_iter().map(|entry| entry.name).collect();
        names.retain(|name| {
            name == "Puppetfile" || name.starts_with("Puppetfile.") && !name.ends_with(".lock")
        });
        names.sort();
        let read = |name: String| {
            let text = world.read(&directory.join(name)).ok()?;
            Some(Puppetfile::parse(directory, &String::from_utf8_lossy(&text)))
        };
        names.into_iter().filter_map(read).collect()
    }

    fn parse(directory: &Path, text: &str) -> Puppetfile {
        let mut file = Puppetfile {
            directory: directory.join("modules"),
            modules: FxHashSet::default(),
            is_open: false,
        };
        for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with('#')) {
            if let Some(name) = argument(line, "moduledir") {
                file.directory = directory.join(name);
            } else if let Some(name) = argument(line, "mod") {
                file.modules.extend(name.rsplit(['/', '-']).next().map(str::to_owned));
            } else {
                let is_code = |word| {
                    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .any(|one| one == word)
                };
                file.is_open |=
                    ["eval", "instance_eval", "each", "load", "glob", "metadata"].into_iter().any(is_code);
            }
        }
        file
    }

    /// Whether it installs the module of a name that is in a directory. `others` are further directories that have a module of that name.
    pub fn installs(&self, name: &str, directory: &Path, others: &[&Path]) -> bool {
        // A deployment may configure another directory; then the last one on the module path is the best guess.
        let is_last = || !others.contains(&self.directory.as_path()) && others.last() == Some(&directory);
        self.modules.contains(name) && (directory == self.directory || is_last())
    }
}

/// The text in quotes that follows a word.
fn argument<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(word)?.trim_start_matches([' ', '\t', '(']);
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_directories() {
        let file = Puppetfile::parse(
            Path::new("/r"),
            "moduledir 'external'\nmod 'puppetlabs/stdlib', '9.0.0'\n# mod 'a/b'\n  mod(\"apt\",\n  :git => 'x')\n",
        );
        let mut names: Vec<&str> = file.modules.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["apt", "stdlib"]);
        assert!(!file.is_open);
        let (external, site) = (Path::new("/r/external"), Path::new("/r/site"));
        assert!(file.installs("apt", external, &[site, external]));
        assert!(
            !file.installs("apt", site, &[site, external]) && !file.installs("own", external, &[external])
        );
        // The modules of this file are in another directory than it says.
        assert!(file.installs("apt", site, &[site]));
        assert!(Puppetfile::parse(Path::new("/r"), "Dir.glob('x/*').each { |f| instance_eval(f) }").is_open);
    }
}
