//! Control repositories: where an environment's manifests, modules and data lie.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kukla_eval::error::{Diagnostic, SourcePosition, Stage};
use kukla_eval::settings::Settings;
use kukla_syntax::diagnostic;
use kukla_values::Value;
use kukla_world::{FileError, World, glob, is_directory};

use crate::codes::{BAD_ENVIRONMENT_CONF, BAD_ENVIRONMENT_TIMEOUT, BAD_SETTING, UNREADABLE_ENVIRONMENT_CONF};
use crate::conf::{Conf, ConfError, interpolate};

/// The directories Puppet searches for modules after an environment's own.
pub const BASE_MODULEPATH: &str = "/etc/puppetlabs/code/modules:/opt/puppetlabs/puppet/modules";

/// The layout of an environment: its directory and its `environment.conf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The environment's name, by default that of its directory.
    pub name: String,
    /// Its directory.
    pub root: PathBuf,
    /// The directories of its modules, in the order they are searched.
    pub modulepath: Vec<PathBuf>,
    /// Its site manifest: a file or a directory of them.
    pub manifest: PathBuf,
    /// The command that prints the version of the configuration.
    pub config_version: Option<String>,
    /// How long the environment is used without checking its files, if it is set.
    pub timeout: Option<Duration>,
    /// Settings it changes, by name.
    pub settings: Vec<(String, String)>,
    /// Settings of `environment.conf` that have no effect, in Puppet's words.
    pub warnings: Vec<String>,
    /// Settings of `environment.conf` that are refused, in Puppet's words.
    pub errors: Vec<String>,
}

/// The settings of `environment.conf`.
const VALID: [&str; 7] = [
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "environment_data_provider",
    "rich_data",
    "static_catalogs",
];

impl Layout {
    /// Reads the layout of an environment directory; without an `environment.conf` Puppet's defaults hold.
    pub fn read(
        world: &dyn World,
        root: &Path,
        base: &str,
        settings: &Settings,
    ) -> Result<Layout, Box<Diagnostic>> {
        let file = root.join("environment.conf");
        let conf = match world.read(&file) {
            Ok(bytes) => {
                Conf::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| unreadable(&file, &error))
            }
            Err(FileError::NotFound) => Ok(Conf::default()),
            Err(reason) => {
                Err(refused(diagnostic!(UNREADABLE_ENVIRONMENT_CONF { file: file.display(), reason })))
            }
        }?;
        let name =
            root.file_name().map_or_else(|| "production".to_owned(), |name| name.to_string_lossy().into());
        let known = |setting: &str| match setting {
            "basemodulepath" => Some(base.to_owned()),
            "environment" => Some(name.clone()),
            "environmentpath" => Some(root.parent()?.display().to_string()),
            _ => settings.all.get(setting).and_then(Value::as_str).map(str::to_owned),
        };
        let setting = |setting: &str| {
            conf.get("main", setting).map(|value| interpolate(value, known).map_err(bad_setting)).transpose()
        };
        let modulepath = setting("modulepath")?.unwrap_or_else(|| format!("modules:{base}"));
        let mut layout = Layout {
            modulepath: split_path(&modulepath).flat_map(|path| expand(world, &root.join(path))).collect(),
            config_version: setting("config_version")?.map(|command| absolute_command(root, &command)),
            ..Layout { name: name.clone(), root: root.to_owned(), ..Layout::default() }
        };
        layout.timeout = setting("environment_timeout")?.map(|text| time_to_live(&text)).transpose()?;
        layout.place_manifest(setting("manifest")?, settings);
        layout.check(&file, &conf);
        for name in ["rich_data", "static_catalogs", "environment_data_provider"] {
            layout.settings.extend(setting(name)?.map(|value| (name.to_owned(), value.to_lowercase())));
        }
        Ok(layout)
    }

    /// Sets the manifest: the environment's own, unless the settings have one for all environments.
    fn place_manifest(&mut self, own: Option<String>, settings: &Settings) {
        let text = |name: &str| settings.all.get(name).map(kukla_values::format::to_s).unwrap_or_default();
        let default = text("default_manifest");
        let fallback = self.root.join(default.trim_start_matches("./"));
        let own = own.map(|own| self.root.join(own));
        if text("disable_per_environment_manifest") == "true" {
            if let Some(own) = own.filter(|own| *own != fallback) {
                let (root, own) = (self.root.display(), own.display());
                self.errors.push(format!(
                    "The 'disable_per_environment_manifest' setting is true, but the environment located at {root} has a manifest setting in its environment.conf of '{own}' which does not match the default_manifest setting '{default}'. If this environment is expecting to find modules in '{own}', they will not be available!"
                ));
            }
            self.manifest = fallback;
        } else {
            self.manifest = own.unwrap_or(fallback);
        }
    }

    fn check(&mut self, file: &Path, conf: &Conf) {
        let file = file.display();
        let sections: Vec<&str> = conf.sections().skip(1).collect();
        if !sections.is_empty() {
            let sections = sections.join(",");
            self.warnings.push(format!(
                "Invalid sections in environment.conf at '{file}'. Environment conf may not have sections. The following sections are being ignored: '{sections}'\n   (file & line not available)"
            ));
        }
        let unknown: Vec<&str> =
            conf.section("main").map(|(name, _)| name).filter(|name| !VALID.contains(name)).collect();
        if !unknown.is_empty() {
            let unknown = unknown.join(", ");
            self.warnings.push(format!(
                "Invalid settings in environment.conf at '{file}'. The following unknown setting(s) are being ignored: {unknown}\n   (file & line not available)"
            ));
        }
    }
}

/// Parses `environment_timeout`: `unlimited`, or a number with an optional unit.
pub(crate) fn time_to_live(text: &str) -> Result<Duration, Box<Diagnostic>> {
    if text == "unlimited" {
        return Ok(Duration::MAX);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => Some(1),
        "m" => Some(60),
        "h" => Some(60 * 60),
        "d" => Some(24 * 60 * 60),
        "y" => Some(365 * 24 * 60 * 60),
        _ => None,
    };
    let seconds = unit.zip(digits.parse::<u64>().ok()).map(|(unit, count)| count.saturating_mul(unit));
    seconds.map(Duration::from_secs).ok_or_else(|| refused(diagnostic!(BAD_ENVIRONMENT_TIMEOUT { text })))
}

fn unreadable(file: &Path, error: &ConfError) -> Box<Diagnostic> {
    let line = u32::try_from(error.line).unwrap_or(u32::MAX);
    let place = SourcePosition::line_of(file.display().to_string(), Some(line));
    Box::new(diagnostic!(BAD_ENVIRONMENT_CONF { problem: error.message }).at(place))
}

/// A setting with an invalid value.
pub(crate) fn bad_setting(problem: impl std::fmt::Display) -> Box<Diagnostic> {
    refused(diagnostic!(BAD_SETTING { problem }))
}

/// An environment that cannot be used at all.
fn refused(wrong: Diagnostic) -> Box<Diagnostic> {
    Box::new(wrong.in_stage(Stage::Data))
}

/// Expands a pattern of the module path: `*` and `?` within a name.
fn expand(world: &dyn World, path: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        let part = part.as_os_str();
        let Some(pattern) = part.to_str().filter(|part| part.contains(['*', '?'])) else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let inside = |directory: &PathBuf| {
            let names = world.list(directory).into_iter().map(|entry| entry.name);
            let fits = names.filter(|name| glob::fits(pattern, name));
            fits.map(|name| directory.join(name)).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(inside).collect();
    }
    found
}

/// The entries of a search path.
pub fn split_path(path: &str) -> impl Iterator<Item = &str> {
    path.split(':').filter(|entry| !entry.is_empty())
}

/// The manifests below a site manifest.
#[derive(Debug, Default)]
pub struct SiteManifests {
    /// The files, in the order in which they are evaluated.
    pub paths: Vec<PathBuf>,
    /// Pipes, sockets and devices with the name of a manifest, which are not read.
    pub special: Vec<PathBuf>,
}

/// The manifests below a site manifest: the file itself, or every `.pp` file of the directory, in the order of their paths. As
/// Ruby's patterns do, this does not follow links to directories.
pub fn manifests(world: &dyn World, manifest: &Path) -> SiteManifests {
    let (mut found, mut special) = (Vec::new(), Vec::new());
    let mut open = vec![manifest.to_owned()];
    while let Some(directory) = open.pop() {
        // Ruby's patterns pass over hidden files and directories.
        for entry in world.list(&directory).into_iter().filter(|entry| !entry.name.starts_with('.')) {
            let path = directory.join(&entry.name);
            if entry.is_directory {
                if !entry.is_link {
                    open.push(path);
                }
            } else if entry.name.ends_with(".pp") {
                if entry.is_special { special.push(path) } else { found.push(path) }
            }
        }
    }
    // Whether it can be read is seen when it is.
    if found.is_empty() && special.is_empty() && world.exists(manifest) && !is_directory(world, manifest) {
        found.push(manifest.to_owned());
    }
    // Puppet sorts the paths as text, so `a.pp` comes after `a/b.pp` but `a-b.pp` before it.
    found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    special.sort();
    SiteManifests { paths: found, special }
}

/// Makes a relative command absolute, from the environment's directory.
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
    use kukla_world::MemoryWorld;

    #[test]
    fn environment_conf_is_obeyed() {
        let world = MemoryWorld::default().with(
            "/code/test/environment.conf",
            "modulepath = site:modules:$basemodulepath\nconfig_version = bin/version\nodd = 1\n",
        );
        let settings = Settings::default();
        let layout = Layout::read(&world, Path::new("/code/test"), "/base", &settings).unwrap();
        assert_eq!(layout.name, "test");
        let path: Vec<&str> = layout.modulepath.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!(path, ["/code/test/site", "/code/test/modules", "/base"]);
        assert_eq!(layout.manifest, Path::new("/code/test/manifests"));
        assert_eq!(layout.config_version.as_deref(), Some("/code/test/bin/version"));
        assert!(layout.warnings[0].contains("being ignored: odd"));
    }

    #[test]
    fn timeouts_have_units() {
        let seconds = |text: &str| time_to_live(text).map(|time| time.as_secs()).ok();
        assert_eq!(["0", "10", "5m", "1h", "2y"].map(seconds), [0, 10, 300, 3600, 63_072_000].map(Some));
        assert_eq!(["", "-1", "abc", "1w"].map(seconds), [None; 4]);
        assert_eq!(time_to_live("unlimited").ok(), Some(Duration::MAX));
    }

    #[test]
    fn one_manifest_can_serve_all_environments() {
        let mut settings = Settings::default();
        let root = Path::new("/code/test");
        let with = |text: &str| MemoryWorld::default().with("/code/test/environment.conf", text);
        settings.set("default_manifest", "/code/site.pp".into()).unwrap();
        let layout = Layout::read(&with(""), root, "", &settings).unwrap();
        assert_eq!(layout.manifest, Path::new("/code/site.pp"));
        let layout = Layout::read(&with("manifest = own.pp"), root, "", &settings).unwrap();
        assert_eq!(layout.manifest, Path::new("/code/test/own.pp"));
        settings.set("disable_per_environment_manifest", true.into()).unwrap();
        let layout = Layout::read(&with("manifest = own.pp"), root, "", &settings).unwrap();
        assert_eq!((layout.manifest.as_path(), layout.errors.len()), (Path::new("/code/site.pp"), 1));
    }

    #[test]
    fn module_paths_may_be_patterns() {
        let world = MemoryWorld::default()
            .with("/e/environment.conf", "modulepath = site-*/m?:other")
            .with("/e/site-a/m1/x/y", "")
            .with("/e/site-b/m2/x/y", "")
            .with("/e/site-b/long/x/y", "");
        let layout = Layout::read(&world, Path::new("/e"), "", &Settings::default()).unwrap();
        let path: Vec<&str> = layout.modulepath.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!(path, ["/e/site-a/m1", "/e/site-b/m2", "/e/other"]);
    }

    #[test]
    fn site_manifests_come_in_the_order_of_their_paths() {
        let world = MemoryWorld::default()
            .with("/m/b.pp", "")
            .with("/m/a/x.pp", "")
            .with("/m/a.pp", "")
            .with("/m/c.txt", "");
        let names: Vec<String> =
            manifests(&world, Path::new("/m")).paths.iter().map(|path| path.display().to_string()).collect();
        assert_eq!(names, ["/m/a.pp", "/m/a/x.pp", "/m/b.pp"]);
        assert_eq!(manifests(&world, Path::new("/m/b.pp")).paths.len(), 1);
    }
}
