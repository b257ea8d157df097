//! The files of a site, where the policy allows no others to be read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_formats::yaml;
use kukla_values::Value;
use kukla_world::policy::Reach;
use kukla_world::{Guarded, World};

use crate::control::Layout;
use crate::spec::SiteSpec;

/// Admits the paths in the options of the site, which its code cannot choose.
pub(crate) fn admit_named(guard: &Guarded<Arc<dyn World>>, spec: &SiteSpec) {
    let named = spec.root().into_iter().chain(spec.manifest.clone());
    let named = named.chain(spec.settings.overrides.clone());
    named
        .chain(spec.modulepath.iter().flatten().cloned())
        .chain(spec.own_module.iter().map(|own| own.root.clone()))
        .for_each(|path| guard.admit(&path));
    if let Some(config) = &spec.hiera_config {
        guard.admit(config);
        data_directories(guard, config).iter().for_each(|directory| guard.admit(directory));
    }
}

/// Admits the directories of modules and data that the environment names, if the policy allows it to.
pub(crate) fn admit_placed(guard: &Guarded<Arc<dyn World>>, layout: Option<&Layout>) {
    let Some(layout) = layout.filter(|_| guard.policy().files.reach == Reach::Modules) else { return };
    layout.modulepath.iter().for_each(|directory| guard.admit(directory));
    let config = layout.root.join("hiera.yaml");
    data_directories(guard, &config).iter().for_each(|directory| guard.admit(directory));
}

/// The data directories of a `hiera.yaml`, as far as they do not depend on the node.
fn data_directories(world: &dyn World, config: &Path) -> Vec<PathBuf> {
    let home = config.parent().unwrap_or(Path::new("/"));
    let document = world.read(config).ok().and_then(|text| yaml::read(&text, yaml::Options::HIERA).ok());
    let mut found = vec![home.join("data")];
    let mut open: Vec<Value> = document.into_iter().map(|document| document.value).collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values.iter().cloned()),
            Value::Hash(entries) => {
                for (key, value) in &entries {
                    match value.as_str().filter(|_| key.as_str().is_some_and(is_data_directory)) {
                        Some(directory) => found.push(home.join(fixed(directory))),
                        None => open.push(value.clone()),
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Version 3 writes its keys as symbols.
fn is_data_directory(key: &str) -> bool {
    key.trim_start_matches(':') == "datadir"
}

/// The directories of a path before the first that is interpolated.
fn fixed(path: &str) -> &str {
    match path.find("%{") {
        Some(at) => path[..at].rsplit_once('/').map_or("", |(directories, _)| directories),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiler, MemoryWorld, Node};
    use kukla_world::Policy;

    fn world() -> MemoryWorld {
        MemoryWorld::default()
            .with("/control/environment.conf", "modulepath = modules:/shared")
            .with("/control/modules/a/files/x", "own")
            .with("/shared/b/manifests/init.pp", "class b { notify { b: } }")
            .with(
                "/control/hiera.yaml",
                "{version: 5, hierarchy: [{name: c, datadir: '/data/%{environment}', path: c.yaml}]}",
            )
            .with("/data/production/c.yaml", "k: found")
            .with("/etc/passwd", "root")
    }

    fn compile(files: &str, code: &str) -> Result<(), String> {
        let policy = Policy { files: files.parse().unwrap(), ..Policy::default() };
        let compiler = Compiler::new(world()).with_policy(policy);
        let spec = SiteSpec { code: Some(code.to_owned()), ..SiteSpec::at("/control") };
        let site = compiler.open(&spec).map_err(|failure| failure.to_string())?;
        site.compile(&Node::named("n")).result.map(drop).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_reach_of_code_is_what_the_policy_says() {
        let own = "notice(file('a/x'))";
        let shared = "include b";
        let data = "notice(lookup(k))";
        let foreign = "notice(file('/etc/passwd'))";
        let above = "notice(file('a/../../../../etc/passwd'))";
        for (files, allowed) in [
            ("repository", vec![own]),
            ("repository,/etc", vec![own, foreign, above]),
            ("modules", vec![own, shared, data]),
            // Files in memory have no directories to go up from.
            ("any", vec![own, shared, data, foreign]),
        ] {
            for code in [own, shared, data, foreign, above] {
                let result = compile(files, code);
                assert_eq!(result.is_ok(), allowed.contains(&code), "{files}: {code}: {result:?}");
            }
        }
        for code in [data, foreign, above, "find_file('/etc/passwd')", "epp('/etc/passwd.epp')"] {
            let why = compile("repository", code).unwrap_err();
            assert!(why.contains("is not allowed; `--files repository,"), "{code}: {why}");
        }
    }
}
