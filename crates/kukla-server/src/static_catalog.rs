//! Static catalogs: they hold the metadata of modules' files that agents would ask for, so that all of it is of one version.

use std::path::Path;

use kukla::catalog::Resource;
use kukla::syntax::Problem;
use kukla::{Catalog, Value};
use serde_json::{Map, Value as Json};

use crate::environments::Environment;
use crate::file_metadata::{Checksum, FileMetadata, Options, search};
use crate::mounts::{MountedFiles, Mounts};
use crate::protected::ProtectedFiles;
use crate::server::Server;

/// Adds `metadata` and `recursive_metadata` to the text of a catalog.
pub fn inline(
    server: &Server,
    environment: &Environment,
    catalog: &Catalog,
    checksums: &str,
    node: &str,
    text: &mut String,
) -> Result<(), Problem> {
    let common = checksums.split('.').find_map(Checksum::named).ok_or_else(|| {
        Problem::invalid(format!("Unable to find a common checksum type between agent '{checksums}' and master '[:sha256, :sha256lite, :md5, :md5lite, :sha1, :sha1lite, :sha512, :sha384, :sha224, :mtime, :ctime, :none]'."))
    })?;
    let modulepath = server.environments.modulepath(environment);
    let root = environment.root.canonicalize().unwrap_or_else(|_| environment.root.clone());
    let inliner = Inliner {
        mounts: Mounts {
            root: &environment.root,
            modulepath: &modulepath,
            fileserver_conf: &server.settings.mounts,
            node,
        },
        root: &root,
        common,
        protected: &server.protected,
    };
    let (mut single, mut recursive) = (Map::new(), Map::new());
    for resource in catalog.resources.iter().filter(|resource| resource.type_name == "File") {
        let sources = sources(resource);
        let is_absent = resource.get("ensure").and_then(Value::as_str) == Some("absent");
        if is_absent || sources.is_empty() || !sources.iter().all(|source| source.starts_with("puppet:")) {
            continue;
        }
        let is_recursive = match resource.get("recurse") {
            Some(Value::Boolean(recurse)) => *recurse,
            Some(Value::String(word)) => matches!(word.as_str(), "true" | "remote"),
            _ => false,
        };
        let title = resource.title.to_string();
        if is_recursive {
            recursive.extend(inliner.tree(resource, &sources)?.map(|found| (title, found.into())));
        } else {
            single.extend(inliner.file(resource, &sources)?.map(|found| (title, found)));
        }
    }
    // The document ends with a brace; what is added goes before it.
    text.pop();
    for (name, entries) in [("metadata", single), ("recursive_metadata", recursive)] {
        if !entries.is_empty() {
            text.push_str(&format!(",\"{name}\":{}", Json::Object(entries)));
        }
    }
    text.push('}');
    Ok(())
}

struct Inliner<'i> {
    mounts: Mounts<'i>,
    root: &'i Path,
    common: Checksum,
    protected: &'i ProtectedFiles,
}

impl Inliner<'_> {
    fn options(&self, resource: &Resource) -> Options<'_> {
        let text = |name: &str| resource.get(name).and_then(Value::as_str);
        let number = |name: &str| match resource.get(name) {
            Some(Value::Integer(number)) => usize::try_from(*number).ok(),
            Some(Value::String(digits)) => digits.parse().ok(),
            _ => None,
        };
        let ignore = match resource.get("ignore") {
            Some(Value::String(pattern)) => vec![pattern.to_string()],
            Some(Value::Array(patterns)) => {
                patterns.iter().filter_map(|each| Some(each.as_str()?.to_owned())).collect()
            }
            _ => Vec::new(),
        };
        Options {
            protected: self.protected,
            follow: text("links") == Some("follow"),
            checksum: text("checksum").and_then(Checksum::named).unwrap_or(self.common),
            permissions: matches!(text("source_permissions"), Some("use" | "use_when_creating")),
            recurse: true,
            depth: number("recurselimit"),
            most: number("max_files").filter(|most| *most > 0),
            ignore,
        }
    }

    fn find(&self, source: &str) -> Option<MountedFiles> {
        let path = source.strip_prefix("puppet://")?;
        let (_, key) = path.split_once('/')?;
        self.mounts.find(key).ok().flatten()
    }

    /// The metadata of the first source there is, unless it is not of the environment.
    fn file(&self, resource: &Resource, sources: &[String]) -> Result<Option<Json>, Problem> {
        let options = self.options(resource);
        for source in sources {
            let Some(MountedFiles::One(path)) = self.find(source) else { continue };
            let mut metadata = FileMetadata::of(&path, None, &options)
                .map_err(|error| Problem::from_io("cannot read", &error).on(source))?;
            let Some(uri) = self.content_uri(&path, source) else { return Ok(None) };
            metadata.insert("content_uri", uri);
            metadata.insert("source", source.as_str());
            return Ok(Some(metadata.to_json()));
        }
        Err(Problem::not_found(format!("Could not get metadata for {}", sources.join(", "))))
    }

    fn tree(&self, resource: &Resource, sources: &[String]) -> Result<Option<Map<String, Json>>, Problem> {
        let options = self.options(resource);
        let all = resource.get("sourceselect").and_then(Value::as_str) == Some("all");
        let mut found = Map::new();
        for source in sources {
            let Some(MountedFiles::One(path)) = self.find(source) else { continue };
            let Some(base) = self.content_uri(&path, source) else { return Ok(None) };
            let mut files = Vec::new();
            for mut metadata in search(&MountedFiles::One(path), &options)? {
                let uri = match metadata.relative.as_deref() {
                    None | Some(".") => base.clone(),
                    Some(relative) => format!("{base}/{relative}"),
                };
                metadata.insert("content_uri", uri);
                files.push(metadata.to_json());
            }
            found.insert(source.clone(), files.into());
            if !all {
                break;
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    /// How the contents are asked for: by their path in the environment. Nothing for files that are elsewhere.
    fn content_uri(&self, path: &Path, source: &str) -> Option<String> {
        let (server, key) = source.strip_prefix("puppet://")?.split_once('/')?;
        if !key.starts_with("modules/") {
            return None;
        }
        let real = path.parent()?.canonicalize().ok()?.join(path.file_name()?);
        let relative = real.strip_prefix(self.root).ok()?.to_str()?;
        let mut parts = relative.split('/');
        (parts.nth(2) == Some("files") && parts.next().is_some())
            .then(|| format!("puppet://{server}/{relative}"))
    }
}

fn sources(resource: &Resource) -> Vec<String> {
    let text = |value: &Value| Some(value.as_str()?.trim_end_matches('/').to_owned());
    match resource.get("source") {
        Some(Value::Array(all)) => all.iter().filter_map(text).collect(),
        Some(one) => text(one).into_iter().collect(),
        None => Vec::new(),
    }
}
