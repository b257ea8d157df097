//! `puppet.conf`: the settings of a server, as far as compiling a catalog depends on them.
//!
//! A setting is taken from `[server]`, else from `[master]`, else from `[main]`; values may refer to other settings. Settings that are not
//! set have Puppet's defaults, with `confdir` being the directory of the file and `codedir` the directory `code`
//! beside it, which for `/etc/puppetlabs/puppet/puppet.conf` are the usual ones.

use std::path::{Path, PathBuf};

use kukla_eval::settings::Settings;
use kukla_syntax::Problem;
use kukla_values::{Hash, Value};
use kukla_world::World;

use crate::conf::{Conf, interpolate};
use crate::control::split_path;
use crate::problems::cannot_read;
use crate::spec::SiteSpec;

/// The sections a file may have.
const SECTIONS: [&str; 5] = ["main", "server", "master", "agent", "user"];

/// Those a server reads, the most important first.
const READ: [&str; 3] = ["server", "master", "main"];

/// Settings of environments, which servers ignore in `puppet.conf`.
const OF_ENVIRONMENTS: [&str; 3] = ["config_version", "manifest", "modulepath"];

/// Values that refer to each other deeper than this do so in a circle.
const MAX_DEPTH: usize = 16;

/// A server's settings.
#[derive(Clone, Debug, Default)]
pub struct PuppetConf {
    settings: Vec<(String, String)>,
}

impl PuppetConf {
    /// Reads the file.
    pub fn read(world: &dyn World, file: &Path) -> Result<PuppetConf, Problem> {
        let invalid = || Problem::invalid("invalid").on(file.display());
        let bytes = world.read(file).map_err(|error| cannot_read(file, &error))?;
        let conf = Conf::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| invalid().because(error))?;
        if let Some(illegal) = conf.sections().find(|section| !SECTIONS.contains(section)) {
            let valid = SECTIONS.join(", ");
            return Err(invalid().because(format!(
                "Illegal section '{illegal}' in config file. The only valid puppet.conf sections are: [{valid}]. Please use the directory environments feature to specify environments."
            )));
        }
        let confdir = file.parent().unwrap_or(Path::new("/"));
        let found = Finder { conf, confdir, defaults: Settings::default().all };
        let settings = found.names().into_iter().map(|setting| {
            let value = found.resolve(&setting, 0).map_err(|why| {
                invalid().caused_by(Problem::invalid("invalid setting").on(&setting).caused_by(why))
            })?;
            Ok((setting, value.unwrap_or_default()))
        });
        Ok(PuppetConf { settings: settings.collect::<Result<_, Problem>>()? })
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a setting, unless it is empty or "none".
    pub fn value(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty() && *value != "none")
    }

    /// All settings that the file has, with their values.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The directories that hold environments.
    pub fn environmentpath(&self) -> Vec<PathBuf> {
        split_path(self.get("environmentpath").unwrap_or_default()).map(PathBuf::from).collect()
    }

    /// The command that classifies nodes, if there is one.
    pub fn external_nodes(&self) -> Option<&str> {
        (self.get("node_terminus") == Some("exec")).then(|| self.value("external_nodes")).flatten()
    }

    /// Puts the settings into the description of a site.
    pub fn apply(&self, world: &dyn World, site: &mut SiteSpec) -> Result<(), Problem> {
        for (name, value) in &self.settings {
            match name.as_str() {
                "environment" => site.environment.clone_from(value),
                "basemodulepath" => site.basemodulepath.clone_from(value),
                "hiera_config" => {
                    site.hiera_config = Some(PathBuf::from(value)).filter(|path| world.exists(path));
                }
                _ => {}
            }
            let value = typed(&site.settings.all, name, value);
            site.settings.set(name, value)?;
        }
        Ok(())
    }

    /// Names the extensions of trusted data, from `trusted_oid_mapping_file`.
    pub fn name_extensions(&self, world: &dyn World, trusted: &mut Hash) -> Result<(), Problem> {
        let Some(file) = self.get("trusted_oid_mapping_file").map(Path::new) else { return Ok(()) };
        let Ok(bytes) = world.read(file) else { return Ok(()) };
        let name = file.display().to_string();
        let options = kukla_formats::yaml::Options { aliases: true, symbols: true, times: true };
        let mapping = kukla_formats::yaml::read(&bytes, options)
            .map_err(|error| Problem::invalid("invalid").on(&name).because(error.message(&name)))?;
        let mapping = mapping.value.as_hash().and_then(|all| all.get("oid_mapping")?.as_hash()).cloned();
        let (Some(mapping), Some(Value::Hash(extensions))) = (mapping, trusted.get("extensions")) else {
            return Ok(());
        };
        let short = |oid: &Value| mapping.get(oid)?.as_hash()?.get("shortname").cloned();
        let named: Hash = extensions
            .iter()
            .map(|(oid, value)| (short(oid).unwrap_or_else(|| oid.clone()), value.clone()))
            .collect();
        trusted.insert("extensions", named);
        Ok(())
    }
}

/// Text as the kind of value that a setting has.
fn typed(known: &Hash, name: &str, value: &str) -> Value {
    match (known.get(name), value.to_lowercase().as_str()) {
        (_, "true") => true.into(),
        (_, "false") => false.into(),
        (Some(Value::Integer(_)), digits) => digits.parse().map_or_else(|_| value.into(), Value::Integer),
        _ => value.into(),
    }
}

/// Values by name, from the file or the defaults.
struct Finder<'a> {
    conf: Conf,
    confdir: &'a Path,
    defaults: Hash,
}

impl Finder<'_> {
    /// The settings to read: those of the file, and those that depend on its directory.
    fn names(&self) -> Vec<String> {
        let derived = [
            "confdir",
            "codedir",
            "environmentpath",
            "basemodulepath",
            "hiera_config",
            "trusted_oid_mapping_file",
        ];
        let mut names: Vec<String> = derived.map(str::to_owned).into();
        for (name, _) in READ.iter().flat_map(|section| self.conf.section(section)) {
            if !OF_ENVIRONMENTS.contains(&name) && !names.iter().any(|known| known == name) {
                names.push(name.into());
            }
        }
        names
    }

    fn resolve(&self, name: &str, depth: usize) -> Result<Option<String>, Problem> {
        let written = READ.iter().find_map(|section| self.conf.get(section, name));
        let value = match (written, name) {
            (Some(written), _) => written.to_owned(),
            // Which environment it is depends on the node.
            (None, "environment") if depth > 0 => return Ok(Some("$environment".into())),
            (None, "confdir") => return Ok(Some(self.confdir.display().to_string())),
            (None, "codedir") => {
                let beside = self.confdir.parent().unwrap_or(self.confdir).join("code");
                return Ok(Some(beside.display().to_string()));
            }
            (None, "environmentpath") => "$codedir/environments".to_owned(),
            (None, "basemodulepath") => "$codedir/modules:/opt/puppetlabs/puppet/modules".to_owned(),
            (None, "hiera_config") => "$confdir/hiera.yaml".to_owned(),
            (None, "trusted_oid_mapping_file") => "$confdir/custom_trusted_oid_mapping.yaml".to_owned(),
            (None, _) => return Ok(self.defaults.get(name).and_then(Value::as_str).map(str::to_owned)),
        };
        if depth >= MAX_DEPTH {
            return Err(Problem::invalid("the value refers to itself"));
        }
        interpolate(&value, |other| self.resolve(other, depth + 1).ok().flatten()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kukla_syntax::Strict;
    use kukla_world::MemoryWorld;

    fn read(text: &str) -> Result<PuppetConf, Problem> {
        let world = MemoryWorld::default().with("/etc/x/puppet/puppet.conf", text);
        PuppetConf::read(&world, Path::new("/etc/x/puppet/puppet.conf"))
    }

    #[test]
    fn a_server_reads_its_own_section_first() {
        let conf =
            read("[main]\nstrict = off\ncertname = a\n[master]\nstrict = warning\n[server]\nstrict=error\n[agent]\nnoop=true")
                .unwrap();
        assert_eq!(conf.get("strict"), Some("error"));
        assert_eq!((conf.get("certname"), conf.get("noop")), (Some("a"), None));
        assert_eq!(
            read("[master]\nstrict = warning\n[main]\nstrict=off").unwrap().get("strict"),
            Some("warning")
        );
        assert!(read("[production]\na=b").unwrap_err().to_string().contains("Illegal section 'production'"));
    }

    #[test]
    fn directories_follow_the_file() {
        let conf = read("").unwrap();
        assert_eq!(conf.environmentpath(), [PathBuf::from("/etc/x/code/environments")]);
        let conf = read("codedir = /srv\nenvironmentpath = $codedir/a:$confdir/b\n").unwrap();
        assert_eq!(conf.environmentpath(), [PathBuf::from("/srv/a"), PathBuf::from("/etc/x/puppet/b")]);
        assert!(read("a = $b\nb = $a").unwrap_err().to_string().contains("Could not find value"));
    }

    #[test]
    fn settings_reach_the_site() {
        let world = MemoryWorld::default().with("/etc/x/puppet/hiera.yaml", "version: 5");
        let conf = read(
            "strict=warning\nstrict_variables = false\nrich_data=false\nbasemodulepath=/m\nenvironment = dev",
        )
        .unwrap();
        let mut site = SiteSpec::default();
        conf.apply(&world, &mut site).unwrap();
        assert_eq!(site.settings.strict, Strict::Warning);
        assert!(!site.settings.strict_variables && !site.settings.rich_data);
        assert_eq!((site.basemodulepath.as_str(), site.environment.as_str()), ("/m", "dev"));
        assert_eq!(site.hiera_config, Some("/etc/x/puppet/hiera.yaml".into()));
    }

    #[test]
    fn classifiers_and_extensions() {
        assert_eq!(read("external_nodes = /bin/enc").unwrap().external_nodes(), None);
        let conf = read("node_terminus = exec\nexternal_nodes = /bin/enc -x").unwrap();
        assert_eq!(conf.external_nodes(), Some("/bin/enc -x"));
        let world = MemoryWorld::default().with(
            "/etc/x/puppet/custom_trusted_oid_mapping.yaml",
            "oid_mapping:\n  '1.2.3':\n    shortname: rack\n    longname: Rack\n",
        );
        let extensions: Hash =
            [("1.2.3", Value::from("r7")), ("pp_role", Value::from("web"))].into_iter().collect();
        let mut trusted: Hash = [("extensions", Value::Hash(extensions))].into_iter().collect();
        conf.name_extensions(&world, &mut trusted).unwrap();
        let named = trusted.get("extensions").and_then(Value::as_hash).unwrap();
        assert_eq!((named.get("rack"), named.get("pp_role")), (Some(&"r7".into()), Some(&"web".into())));
    }
}
