//! Mount points: where the files are that agents ask for by `puppet:///MOUNT/PATH`.

use std::fs;
use std::path::{Path, PathBuf};

use kukla::syntax::Problem;

use crate::environments::{module, modules};
use crate::files::read_if_there;
use crate::log;

/// The files that a key leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MountedFiles {
    /// A file or directory.
    One(PathBuf),
    /// Directories of several modules that are served as if they were one, the first of two files of a name winning.
    Merged(Vec<PathBuf>),
    /// A directory of which nothing but itself is to be seen, since no module has any.
    Bare(PathBuf),
}

/// The directories and settings that an environment's mounts are made from.
#[derive(Clone, Copy, Debug)]
pub struct Mounts<'m> {
    /// The environment's own directory.
    pub root: &'m Path,
    /// Where its modules are.
    pub modulepath: &'m [PathBuf],
    /// The file that names further directories.
    pub fileserver_conf: &'m Path,
    /// The node that asks, whose name replaces `%H` in paths.
    pub node: &'m str,
}

/// Directories of modules that agents get merged, by the mount.
const MERGED: [(&str, &str); 3] = [("plugins", "lib"), ("pluginfacts", "facts.d"), ("locales", "locales")];
/// Directories of modules that agents get one by one.
const SINGLE: [(&str, &str); 3] = [("modules", "files"), ("tasks", "tasks"), ("scripts", "scripts")];

impl Mounts<'_> {
    /// Finds the files of a key (`MOUNT/PATH`); nothing if there are none.
    pub fn find(&self, key: &str) -> Result<Option<MountedFiles>, Problem> {
        let (mount, path) = parts(key)?;
        if let Some((_, directory)) = MERGED.iter().find(|(name, _)| *name == mount) {
            return Ok(self.merged(directory, path.as_deref()));
        }
        if let Some((_, directory)) = SINGLE.iter().find(|(name, _)| *name == mount) {
            let path = path.ok_or_else(|| Problem::invalid("No module specified"))?;
            let (name, rest) =
                path.split_once('/').map_or((path.as_str(), None), |(name, rest)| (name, Some(rest)));
            let Some(root) = module(self.modulepath, name) else { return Ok(None) };
            return Ok(below(&root.join(directory), rest).map(MountedFiles::One));
        }
        let Some(root) = self.directory(mount) else { return Ok(None) };
        Ok(below(&root, path.as_deref()).map(MountedFiles::One))
    }

    fn merged(&self, directory: &str, path: Option<&str>) -> Option<MountedFiles> {
        let roots = modules(self.modulepath).into_iter().map(|module| module.join(directory));
        let roots: Vec<PathBuf> = roots.filter(|root| root.is_dir()).collect();
        match path {
            Some(path) => roots.iter().find_map(|root| below(root, Some(path))).map(MountedFiles::One),
            // Agents would take it that there is no such environment if there were nothing at all.
            None if roots.is_empty() => {
                let directory = self.modulepath.iter().map(PathBuf::as_path).find(|path| path.is_dir());
                Some(MountedFiles::Bare(directory.unwrap_or(self.root).to_owned()))
            }
            None => Some(MountedFiles::Merged(roots)),
        }
    }

    /// The directory that `fileserver.conf` names.
    fn directory(&self, mount: &str) -> Option<PathBuf> {
        let text = match read_if_there(self.fileserver_conf) {
            Ok(bytes) => bytes?,
            Err(problem) => {
                log::warning(&problem.to_string());
                return None;
            }
        };
        let path = path_of(&String::from_utf8_lossy(&text), mount)?;
        Some(expanded(&path, self.node).into())
    }
}

/// The mount and the path of a key, without what leads out of it.
fn parts(key: &str) -> Result<(&str, Option<String>), Problem> {
    let (mount, path) = key.split_once('/').map_or((key, None), |(mount, path)| (mount, Some(path)));
    if mount.is_empty() || !mount.chars().all(|c| c == '_' || c == '-' || c.is_ascii_alphanumeric()) {
        return Err(Problem::invalid(format!("Cannot find file: Invalid mount '{mount}'")));
    }
    let path = path.unwrap_or_default();
    if path.split('/').any(|part| part == "..") || path.contains('\0') {
        return Err(Problem::invalid(format!("Cannot find file: Invalid relative path '{path}'")));
    }
    let clean: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    Ok((mount, (!clean.is_empty()).then(|| clean.join("/"))))
}

/// A path below a directory, if there is something, be it a link to nowhere.
fn below(root: &Path, path: Option<&str>) -> Option<PathBuf> {
    let whole = path.map_or_else(|| root.to_owned(), |path| root.join(path));
    fs::symlink_metadata(&whole).is_ok().then_some(whole)
}

/// The path of a mount in the text of `fileserver.conf`.
fn path_of(text: &str, mount: &str) -> Option<String> {
    let mut current = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            current = Some(name.0.trim());
        } else if let Some(value) =
            line.strip_prefix("path").filter(|rest| rest.starts_with(char::is_whitespace))
            && current == Some(mount)
        {
            let value = value.split_once(" #").map_or(value, |(value, _)| value).trim();
            return Path::new(value).is_absolute().then(|| value.to_owned());
        }
    }
    None
}

/// A path with the name of a node in place of `%H`, its first part in place of `%h` and the rest in place of `%d`.
fn expanded(path: &str, node: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let (host, domain) = node.split_once('.').unwrap_or((node, node));
        match chars.next() {
            Some('H') => out.push_str(node),
            Some('h') => out.push_str(host),
            Some('d') => out.push_str(domain),
            Some('%') => out.push('%'),
            other => {
                out.push('%');
                out.extend(other);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_stay_in_their_mount() {
        assert_eq!(parts("modules/ntp//a/./b").unwrap(), ("modules", Some("ntp/a/b".to_owned())));
        assert_eq!(parts("plugins").unwrap(), ("plugins", None));
        assert_eq!(parts("plugins/").unwrap(), ("plugins", None));
        assert!(parts("modules/../x").is_err() && parts("a b/x").is_err() && parts("").is_err());
    }

    #[test]
    fn directories_of_fileserver_conf() {
        let text = "# ours\n[private]\n  path /srv/private/%H # per node\n  allow *\n[bad]\npath relative\n";
        assert_eq!(path_of(text, "private").as_deref(), Some("/srv/private/%H"));
        assert_eq!((path_of(text, "bad"), path_of(text, "none")), (None, None));
        assert_eq!(
            expanded("/srv/%h/%d/%H/100%%/%x", "web1.example.com"),
            "/srv/web1/example.com/web1.example.com/100%/%x"
        );
    }

    proptest! {
        #[test]
        fn no_key_leads_out(key in "[a-z./%-]{0,40}") {
            if let Ok((_, Some(path))) = parts(&key) {
                prop_assert!(!path.starts_with('/') && path.split('/').all(|part| !matches!(part, ".." | "." | "")));
            }
        }
    }
}
