//! Pages whose `console` blocks are sessions, run in a directory of their own.

#![allow(dead_code, clippy::disallowed_methods)] // a test reads the disk, and not every test uses all of it

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Prepares the directory of a page for a command.
pub type Prepare = Box<dyn Fn(&Path, &str)>;

/// How the commands of a page are run.
#[derive(Default)]
pub struct Sessions {
    /// Words of commands, such as `$STORE`, and their replacements: one word or several.
    pub words: Vec<(&'static str, String)>,
    /// Called before each command.
    pub before: Option<Box<dyn Fn()>>,
    /// Called with the directory of the page and each command, before it runs.
    pub prepare: Option<Prepare>,
    /// Further environment variables.
    pub variables: Vec<(&'static str, String)>,
}

impl Sessions {
    /// The page with what the commands print now.
    pub fn replay(&self, root: &Path, page: &Path, text: &str) -> String {
        let name = page.file_stem().unwrap().to_string_lossy();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let scratch =
            std::env::temp_dir().join(format!("kukla-manual-{}-{number}-{name}", std::process::id()));
        std::fs::create_dir_all(&scratch).unwrap();
        copy(&root.join("examples"), &scratch.join("examples"));
        let mut out = String::new();
        let mut pending_file: Option<String> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            out.push_str(line);
            out.push('\n');
            if let Some(file) = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:")) {
                pending_file = Some(file.to_owned());
            }
            let (fence, language) = line.split_at(line.len() - line.trim_start_matches('`').len());
            if fence.len() < 3 {
                continue;
            }
            let block: Vec<&str> = lines.by_ref().take_while(|l| *l != fence).collect();
            if language == "console" {
                for command in block.iter().filter_map(|l| l.strip_prefix("$ ")) {
                    self.prepare.iter().for_each(|prepare| prepare(&scratch, command));
                    out.push_str(&format!("$ {command}\n{}", self.session(&scratch, command)));
                }
            } else {
                let content = block.join("\n") + "\n";
                if let Some(file) = pending_file.take() {
                    let path = scratch.join(file);
                    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                    std::fs::write(path, &content).unwrap();
                }
                out.push_str(&content);
            }
            out.push_str(fence);
            out.push('\n');
        }
        std::fs::remove_dir_all(&scratch).unwrap();
        out
    }

    /// Fails unless a page shows what happens, or rewrites it if `KUKLA_UPDATE` is set. `stable` replaces what is another text in each run.
    pub fn check(&self, page: &str, stable: impl Fn(String) -> String) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = root.join(page);
        let text = std::fs::read_to_string(&page).unwrap();
        let actual = stable(self.replay(&root, &page, &text));
        if actual != text && std::env::var_os("KUKLA_UPDATE").is_some() {
            std::fs::write(&page, actual).unwrap();
            return;
        }
        assert!(
            actual == text,
            "the manual shows something else than happens:\n{}",
            difference(&text, &actual)
        );
    }

    fn session(&self, directory: &Path, command: &str) -> String {
        let meant = |word: String| match self.words.iter().find(|(name, _)| word == *name) {
            Some((_, value)) => value.split(' ').map(str::to_owned).collect(),
            None => vec![word],
        };
        let words: Vec<String> = words(command).into_iter().flat_map(meant).collect();
        if let Some(before) = &self.before {
            before();
        }
        assert_eq!(words[0], "kukla", "the manual only shows kukla: {command}");
        let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
            .args(&words[1..])
            .current_dir(directory)
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .env("KUKLA_MODULE_STORE", directory.join(".module-store"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("XDG_CACHE_HOME", std::env::temp_dir().join(format!("kukla-manual-{}", std::process::id())))
            .output()
            .unwrap();
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        // Where a page happens to run is nobody's business.
        let here = format!("{}/", directory.canonicalize().unwrap().display());
        let mut text = text.replace(&here, "");
        for (name, value) in &self.words {
            text = text.replace(value.split(' ').next().unwrap_or_default(), name);
        }
        let mut text: String = text.lines().map(|l| format!("{}\n", l.trim_end())).collect();
        match output.status.code() {
            Some(0) => {}
            code => text.push_str(&format!("(exit code {})\n", code.map_or("?".into(), |c| c.to_string()))),
        }
        text
    }
}

/// Splits a command line at blanks; quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Where two texts differ first.
pub fn difference(expected: &str, actual: &str) -> String {
    let at = expected.lines().zip(actual.lines()).position(|(e, a)| e != a).unwrap_or_default();
    let part = |text: &str| text.lines().skip(at).take(8).collect::<Vec<_>>().join("\n  ");
    format!("line {}: shows\n  {}\nhappens\n  {}", at + 1, part(expected), part(actual))
}
