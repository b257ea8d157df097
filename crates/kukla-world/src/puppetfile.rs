//! The modules that the Puppetfiles of a repository install, as far as their text shows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::World;

/// A Puppetfile: the modules that it names, and the directories that they are installed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puppetfile {
    /// The file.
    pub path: PathBuf,
    /// The directory that modules are installed in at the end of the file.
    pub directory: PathBuf,
    /// The modules by name, without their authors.
    pub modules: BTreeMap<String, PuppetfileModule>,
    /// Whether it may install further modules, with names that are computed or in other files.
    pub is_open: bool,
}

/// A module that a Puppetfile names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetfileModule {
    /// The line that names it.
    pub line: u32,
    /// The directory that it is installed as.
    pub directory: PathBuf,
}

/// Words of Ruby with which a Puppetfile installs modules that it does not name.
const CODE: [&str; 6] = ["eval", "instance_eval", "each", "load", "glob", "metadata"];

impl Puppetfile {
    /// All Puppetfiles in a directory, such as `Puppetfile` and `Puppetfile.vendor`.
    pub fn all(world: &dyn World, directory: &Path) -> Vec<Puppetfile> {
        let mut names: Vec<String> = world.list(directory).into_iter().map(|entry| entry.name).collect();
        names.retain(|name| {
            name == "Puppetfile" || name.starts_with("Puppetfile.") && !name.ends_with(".lock")
        });
        names.sort();
        let read = |name: String| {
            let path = directory.join(name);
            let text = world.read(&path).ok()?;
            Some(Puppetfile::parse(&path, &String::from_utf8_lossy(&text)))
        };
        names.into_iter().filter_map(read).collect()
    }

    /// The Puppetfile with this text at a path. Directories are relative to the one that it is in.
    pub fn parse(path: &Path, text: &str) -> Puppetfile {
        let base = path.parent().unwrap_or(Path::new(""));
        let mut file = Puppetfile {
            path: path.to_owned(),
            directory: base.join("modules"),
            modules: BTreeMap::new(),
            is_open: false,
        };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start();
            if line.starts_with('#') {
                continue;
            }
            if let Some(name) = argument(line, "moduledir") {
                file.directory = base.join(name);
            } else if argument(line, "mod").is_some() && is_local(line) {
                // The module is a part of the repository.
            } else if let Some(name) = argument(line, "mod") {
                let name = name.rsplit(['/', '-']).next().unwrap_or(name);
                let directory = file.directory.join(name);
                let module = PuppetfileModule { line: number, directory };
                file.modules.entry(name.to_owned()).or_insert(module);
            } else {
                let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                file.is_open |= words.any(|word| CODE.contains(&word));
            }
        }
        file
    }

    /// Whether it installs the module of a name that is in a directory. `others` are further directories that have a module of that name.
    pub fn installs(&self, name: &str, directory: &Path, others: &[&Path]) -> bool {
        // A deployment may configure another directory; then the last one on the module path is the best guess.
        let is_last = || !others.contains(&self.directory.as_path()) && others.last() == Some(&directory);
        self.modules.contains_key(name) && (directory == self.directory || is_last())
    }
}

/// Whether the options of a module say that it is not installed from elsewhere.
fn is_local(line: &str) -> bool {
    let line: String = line.split_whitespace().collect();
    line.contains(":local=>true") || line.contains("local:true")
}

/// The text in quotes that follows a word at the start of a line.
fn argument<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(word)?.trim_start_matches([' ', '\t', '(']);
    let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_lines_and_directories() {
        let text = "forge 'x'\nmod 'puppetlabs-stdlib', '9.0'\nmod \"puppetlabs/apt\"\nmoduledir 'ext'\n  mod('site',\n    git: 'u')\n# mod 'no'\nmodule 'no'\nmod 'own', :local => true\nmod 'mine', local: true\n";
        let file = Puppetfile::parse(Path::new("/r/Puppetfile"), text);
        let found: Vec<(u32, String)> = file
            .modules
            .values()
            .map(|module| (module.line, module.directory.display().to_string()))
            .collect();
        let expected = [(3, "/r/modules/apt"), (5, "/r/ext/site"), (2, "/r/modules/stdlib")];
        assert_eq!(found, expected.map(|(line, path)| (line, path.to_owned())));
        assert!(!file.is_open);
        assert!(
            Puppetfile::parse(Path::new("/r/Puppetfile"), "Dir.glob('x/*').each { |f| instance_eval(f) }")
                .is_open
        );
    }

    #[test]
    fn modules_that_it_installs() {
        let text = "moduledir 'external'\nmod 'puppetlabs/apt'\n";
        let file = Puppetfile::parse(Path::new("/r/Puppetfile"), text);
        let (external, site) = (Path::new("/r/external"), Path::new("/r/site"));
        assert!(file.installs("apt", external, &[site, external]));
        assert!(
            !file.installs("apt", site, &[site, external]) && !file.installs("own", external, &[external])
        );
        // The modules of this file are in another directory than it says.
        assert!(file.installs("apt", site, &[site]));
    }
}
