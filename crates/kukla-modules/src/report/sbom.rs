//! The modules as a software bill of materials in the format of CycloneDX 1.5.

use serde_json::{Value as Json, json};

use super::Dependents;
use crate::lock::{Lock, LockedModule, Origin};
use crate::network::without_password;
use crate::sources::Sources;

/// The bill of materials of a lock. The same lock has the same bill.
pub fn sbom(sources: &Sources, lock: &Lock, name: &str) -> Json {
    let dependents = Dependents::new(lock);
    let components: Vec<Json> = lock.modules.iter().map(|module| component(sources, lock, module)).collect();
    let declared = lock.modules.iter().filter(|module| module.declared.is_some()).map(reference);
    let mut dependencies = vec![json!({"ref": name, "dependsOn": declared.collect::<Vec<_>>()})];
    dependencies.extend(lock.modules.iter().map(|module| {
        let mut required: Vec<String> =
            module.dependencies.iter().filter_map(|each| dependents.find(each)).map(reference).collect();
        required.sort();
        required.dedup();
        json!({"ref": reference(module), "dependsOn": required})
    }));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": name, "name": name},
            "tools": {"components": [
                {"type": "application", "name": "kukla", "version": env!("CARGO_PKG_VERSION")}
            ]},
        },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(sources: &Sources, lock: &Lock, module: &LockedModule) -> Json {
    let (author, name) = module.title.split_once('-').unwrap_or(("", &module.title));
    let mut component = json!({"type": "library", "bom-ref": reference(module), "name": name});
    if !author.is_empty() {
        component["group"] = author.into();
    }
    if let Some(version) = &module.version {
        component["version"] = version.as_str().into();
    }
    component["purl"] = reference(module).into();
    let digests = module.archive.iter().map(|digest| json!({"alg": "SHA-256", "content": digest.as_str()}));
    let digests: Vec<Json> = digests.collect();
    if !digests.is_empty() {
        component["hashes"] = digests.into();
    }
    let metadata = module.content.as_ref().and_then(|content| sources.metadata(content).ok().flatten());
    if let Some(metadata) = &metadata {
        if let Some(license) = &metadata.license {
            component["licenses"] = json!([{"license": {"name": license}}]);
        }
        if let Some(summary) = &metadata.summary {
            component["description"] = summary.as_str().into();
        }
    }
    let place = match &module.origin {
        Origin::Forge { version } => Some(json!({
            "type": "distribution",
            "url": format!("{}/v3/files/{}-{version}.tar.gz", lock.forge, module.title),
        })),
        Origin::Git { url, commit, .. } => {
            Some(json!({"type": "vcs", "url": without_password(url), "comment": format!("commit {commit}")}))
        }
        Origin::Tarball { url } => Some(json!({"type": "distribution", "url": without_password(url)})),
        Origin::Local => None,
    };
    if let Some(place) = place {
        component["externalReferences"] = json!([place]);
    }
    if let Some(content) = &module.content {
        component["properties"] = json!([{"name": "kukla:content", "value": content.to_string()}]);
    }
    component
}

/// The package URL of a module.
fn reference(module: &LockedModule) -> String {
    let name = module.title.replacen('-', "/", 1);
    match &module.origin {
        Origin::Forge { version } => format!("pkg:puppet/{name}@{version}"),
        Origin::Git { url, commit, .. } => {
            let url = without_password(url);
            let github = url
                .split_once("github.com")
                .map(|(_, path)| path.trim_start_matches([':', '/']).trim_end_matches(".git"));
            match github {
                Some(path) => format!("pkg:github/{}@{commit}", path.to_lowercase()),
                None => format!("pkg:generic/{name}@{commit}"),
            }
        }
        Origin::Tarball { .. } | Origin::Local => format!("pkg:generic/{name}"),
    }
}
