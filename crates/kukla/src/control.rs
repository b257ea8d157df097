//! Control repositories: where an environment's manifests, modules and data lie.

use std::path::{Path, PathBuf};

use kukla_eval::world::{FileError, World};

use crate::conf::{Conf, interpolate};

/// The directories Puppet searches for modules after an environment's own.
pub const BASE_MODULEPATH: &str = "/etc/puppetlabs/code/modules:/opt/puppetlabs/puppet/modules";

/// What `environment.conf` and the directory layout say about an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The environment's name: that of its directory, unless said otherwise.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
    /// Where its modules lie, in the order they are searched.
    pub modulepath: Vec<PathBuf>,
    /// Its site manifest: a file or a directory of them.
    pub manifest: PathBuf,
    /// The command that prints the version of the configuration.
    pub config_version: Option<String>,
    /// Settings it changes, by name.
    pub settings: Vec<(String, String)>,
    /// Entries of `environment.conf` that mean nothing.
    pub unknown: Vec<String>,
}

impl Layout {
    /// Reads the layout of an environment directory; without an `environment.conf` Puppet's defaults hold.
    pub fn read(world: &dyn World, root: &Path, base: &str) -> Result<Layout, String> {
        let file = root.join("environment.conf");
        let conf = match world.read(&file) {
            Ok(bytes) => Conf::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|error| format!("{}: {error}", file.display()))?,
            Err(FileError::NotFound) => Conf::default(),
            Err(FileError::Other(why)) => return Err(format!("{}: {why}", file.display())),
        };
        let name =
            root.file_name().map_or_else(|| "production".to_owned(), |name| name.to_string_lossy().into());
        let known = |setting: &str| match setting {
            "basemodulepath" => Some(base.to_owned()),
            "environment" => Some(name.clone()),
            _ => None,
        };
        let setting = |setting: &str| conf.get("main", setting).map(|value| interpolate(value, known));
        let modulepath = setting("modulepath").unwrap_or_else(|| format!("modules:{base}"));
        let mut layout = Layout {
            modulepath: split_path(&modulepath).map(|path| root.join(path)).collect(),
            manifest: root.join(setting("manifest").unwrap_or_else(|| "manifests".into())),
            config_version: setting("config_version").map(|command| absolute_command(root, &command)),
            ..Layout { name: name.clone(), root: root.to_owned(), ..Layout::default() }
        };
        for (name, value) in conf.section("main") {
            match name {
                "modulepath" | "manifest" | "config_version" | "environment_timeout" => {}
                "rich_data" | "static_catalogs" | "environment_data_provider" => {
                    layout.settings.push((name.into(), value.into()));
                }
                _ => layout.unknown.push(name.into()),
            }
        }
        Ok(layout)
    }
}

/// The entries of a search path.
pub fn split_path(path: &str) -> impl Iterator<Item = &str> {
    path.split(':').filter(|entry| !entry.is_empty())
}

/// The manifests below a site manifest: the file itself, or every `.pp` file of the directory, in the order of their paths.
pub fn manifests(world: &dyn World, manifest: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![manifest.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in world.list(&directory) {
            let path = directory.join(&entry.name);
            if entry.is_directory {
                open.push(path);
            } else if entry.name.ends_with(".pp") {
                found.push(path);
            }
        }
    }
    if found.is_empty() && world.exists(manifest) && world.read(manifest).is_ok() {
        found.push(manifest.to_owned());
    }
    // Puppet sorts the paths as text, so `a.pp` comes after `a/b.pp` but `a-b.pp` before it.
    found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    found
}

/// A relative command is meant from the environment's directory.
fn absolute_command(root: &Path, command: &str) -> String {
    match command.split_once(' ') {
        _ if command.starts_with('/') => command.to_owned(),
        Some((program, rest)) => format!("{} {rest}", root.join(program).display()),
        None => root.join(command).display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kukla_eval::world::MemoryWorld;

    #[test]
    fn environment_conf_is_obeyed() {
        let world = MemoryWorld::default().with(
            "/code/test/environment.conf",
            "modulepath = site:modules:$basemodulepath\nconfig_version = bin/version\nodd = 1\n",
        );
        let layout = Layout::read(&world, Path::new("/code/test"), "/base").unwrap();
        assert_eq!(layout.name, "test");
        let path: Vec<&str> = layout.modulepath.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!(path, ["/code/test/site", "/code/test/modules", "/base"]);
        assert_eq!(layout.manifest, Path::new("/code/test/manifests"));
        assert_eq!(layout.config_version.as_deref(), Some("/code/test/bin/version"));
        assert_eq!(layout.unknown, ["odd"]);
    }

    #[test]
    fn site_manifests_come_in_the_order_of_their_paths() {
        let world = MemoryWorld::default()
            .with("/m/b.pp", "")
            .with("/m/a/x.pp", "")
            .with("/m/a.pp", "")
            .with("/m/c.txt", "");
        let names: Vec<String> =
            manifests(&world, Path::new("/m")).iter().map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["/m/a.pp", "/m/a/x.pp", "/m/b.pp"]);
        assert_eq!(manifests(&world, Path::new("/m/b.pp")).len(), 1);
    }
}
