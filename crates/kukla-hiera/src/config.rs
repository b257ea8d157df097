//! `hiera.yaml`: versions 5 and 4 (for 3 see `legacy`), with the errors Puppet gives for what is wrong in one.

use std::path::Path;
use std::sync::LazyLock;

use kukla_formats::yaml;
use kukla_syntax::{Code, Diagnostic, Fact, SourcePosition, diagnostic};
use kukla_values::regexp::Regexp;
use kukla_values::types::{Range, StructField, mismatch};
use kukla_values::{Hash, Str, Type, Value};
use kukla_world::World;

use crate::cache::{DataFormat, read_text};
use crate::codes::{
    HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE, HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET,
    HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED, HIERA_MISSING_DATA_PROVIDER_FUNCTION,
    HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS, HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT,
    HIERA_MULTIPLE_LOCATION_SPECS, HIERA_NO_PROVIDER_FOR_BACKEND, HIERA_OPTION_RESERVED_BY_PUPPET,
    HIERA_UNSUPPORTED_VERSION, HIERA_UNSUPPORTED_VERSION_IN_GLOBAL, HIERA_V3_BACKEND_NOT_GLOBAL,
    HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH, UNPARSEABLE_CONFIG,
};
use crate::error::{self, Error, Result};
use crate::host::FunctionKind;
use crate::merge::type_error;

/// The name of the configuration file in an environment and in a module.
pub const CONFIG_FILE: &str = "hiera.yaml";

/// The layer that a configuration belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// For all environments.
    Global,
    /// For one environment.
    Environment,
    /// For the keys of one module.
    Module,
}

/// A configuration: the levels to search and where they have their data.
#[derive(Clone, Debug)]
pub struct Config {
    /// The directory that relative paths are relative to.
    pub root: Str,
    /// The file, unless this is the default for a missing one.
    pub path: Option<Str>,
    /// Which version of the format it is written in.
    pub version: i64,
    /// The levels, highest first.
    pub hierarchy: Vec<LevelEntry>,
    /// The levels a module searches when nothing else had the key.
    pub default_hierarchy: Option<Vec<LevelEntry>>,
    /// The warning when the configuration is used.
    pub warning: Option<String>,
    /// Whether the format is an old one, which Puppet warns of once.
    pub deprecated: bool,
    /// How version 3 merges for `hiera_hash`, if it says so.
    pub hash_merge: Option<Value>,
    /// Its text, to find lines in.
    pub(crate) text: String,
}

/// One level as declared.
#[derive(Clone, Debug)]
pub struct LevelEntry {
    /// Its name.
    pub name: Str,
    /// Which function gives its data.
    pub backend: Backend,
    /// Where the data is, relative to the configuration's directory; may hold interpolations.
    pub datadir: Str,
    /// The places in there, if it has any.
    pub locations: Option<Locations>,
    /// The options of the function besides the location.
    pub options: Hash,
}

/// The source of a level's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// A format Hiera reads itself: `yaml_data`, `json_data`, `hocon_data`.
    File(DataFormat),
    /// `eyaml_lookup_key`.
    Eyaml,
    /// A function.
    Function(FunctionKind, Str),
    /// A backend for Hiera 3, in Ruby.
    Hiera3(Str),
    /// A function without arguments that gives all data, from before there were others.
    Legacy(Str),
}

impl Backend {
    pub(crate) fn new(kind: FunctionKind, name: &str) -> Backend {
        match (kind, name) {
            (FunctionKind::DataHash, "yaml_data") => Backend::File(DataFormat::Yaml),
            (FunctionKind::DataHash, "json_data") => Backend::File(DataFormat::Json),
            (FunctionKind::DataHash, "hocon_data") => Backend::File(DataFormat::Hocon),
            (FunctionKind::LookupKey, "eyaml_lookup_key") => Backend::Eyaml,
            _ => Backend::Function(kind, name.into()),
        }
    }

    /// The format of its files, if Hiera reads them itself.
    pub fn format(&self) -> Option<DataFormat> {
        match self {
            Backend::File(format) => Some(*format),
            Backend::Eyaml => Some(DataFormat::Yaml),
            Backend::Function(..) | Backend::Hiera3(_) | Backend::Legacy(_) => None,
        }
    }

    /// How messages name it.
    pub fn describe(&self) -> String {
        match self {
            Backend::File(DataFormat::Yaml) => "data_hash function 'yaml_data'".into(),
            Backend::File(DataFormat::Json) => "data_hash function 'json_data'".into(),
            Backend::File(DataFormat::Hocon) => "data_hash function 'hocon_data'".into(),
            Backend::Eyaml => "lookup_key function 'eyaml_lookup_key'".into(),
            Backend::Function(kind, name) => format!("{} function '{name}'", kind.name()),
            Backend::Hiera3(name) => format!("hiera version 3 backend '{name}'"),
            Backend::Legacy(name) => format!("deprecated API function '{name}'"),
        }
    }
}

/// Where a level has its data.
#[derive(Clone, Debug)]
pub enum Locations {
    /// `path`, `paths`.
    Paths(Vec<Str>),
    /// `glob`, `globs`.
    Globs(Vec<Str>),
    /// `uri`, `uris`.
    Uris(Vec<Str>),
    /// `mapped_paths`: a variable with a list, the name each element goes by, the path made with it.
    Mapped([Str; 3]),
    /// The paths of versions 3 and 4, whose extension may be left out.
    Extended(Vec<Str>, Str),
}

const FUNCTION_KEYS: [(&str, Option<FunctionKind>); 4] = [
    ("data_hash", Some(FunctionKind::DataHash)),
    ("lookup_key", Some(FunctionKind::LookupKey)),
    ("data_dig", Some(FunctionKind::DataDig)),
    ("hiera3_backend", None),
];
const FUNCTION_LIST: &str = "data_hash, lookup_key, data_dig, or hiera3_backend";
const LOCATION_KEYS: [&str; 7] = ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];
const LOCATION_LIST: &str = "path, paths, glob, globs, uri, uris, or mapped_paths";

impl Config {
    /// Whether a level has its data from a function.
    pub fn has_functions(&self) -> bool {
        let levels = self.hierarchy.iter().chain(self.default_hierarchy.iter().flatten());
        levels.into_iter().any(|entry| matches!(entry.backend, Backend::Function(..) | Backend::Legacy(_)))
    }

    /// The configuration of a layer that nobody configured: it has no levels.
    pub fn empty() -> Config {
        Config {
            root: Str::default(),
            path: None,
            version: 5,
            hierarchy: Vec::new(),
            default_hierarchy: None,
            warning: None,
            deprecated: false,
            hash_merge: None,
            text: String::new(),
        }
    }

    /// Reads the configuration at `path`; the default for a missing file is a `common.yaml` in `data`.
    pub fn read(world: &dyn World, path: &Str, place: LayerKind) -> Result<Config> {
        let root = Str::from(path.rsplit_once('/').map_or("", |(directory, _)| directory));
        if !world.exists(Path::new(path.as_str())) {
            return Ok(Config::unwritten(root));
        }
        let bytes = read_text(world, path)?;
        let document = yaml::read(&bytes, yaml::Options::HIERA)
            .map_err(|error| Error::plain(diagnostic!(UNPARSEABLE_CONFIG { reason: error.message(path) })))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let reader = Reader { path, text: &text };
        let mut config = Config { root, path: Some(path.clone()), version: 3, ..Config::empty() };
        match document.value {
            Value::Hash(hash) => {
                config.version = match hash.get("version") {
                    None | Some(Value::Undef) => 3,
                    Some(Value::Integer(n)) => *n,
                    Some(Value::Float(n)) => *n as i64,
                    Some(other) => leading_integer(other.as_str().unwrap_or_default()),
                };
                match config.version {
                    5 => reader.version_5(hash, place, &mut config)?,
                    4 => reader.version_4(hash, &mut config)?,
                    3 if place == LayerKind::Global => reader.version_3(hash, &mut config)?,
                    3 => {}
                    other => {
                        let wrong = diagnostic!(HIERA_UNSUPPORTED_VERSION { version: other });
                        return Err(reader.wrong(wrong, None));
                    }
                }
            }
            _ => {
                config.warning = Some(format!(
                    "{path}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config"
                ));
                if place == LayerKind::Global {
                    reader.version_3(Hash::new(), &mut config)?;
                }
            }
        }
        config.deprecated = config.version < 5;
        match (config.version, place) {
            (4, LayerKind::Global) => {
                Err(reader.wrong(diagnostic!(HIERA_UNSUPPORTED_VERSION_IN_GLOBAL), None))
            }
            _ => {
                config.text = text;
                Ok(config)
            }
        }
    }

    /// An error of this configuration.
    pub(crate) fn wrong(&self, diagnostic: Diagnostic, line: Option<u32>) -> Error {
        let error = Error::new(error::ErrorKind::Data, diagnostic);
        match &self.path {
            Some(path) => error.at(path, line),
            None => error,
        }
    }

    /// The first line that has `%{name}`.
    pub(crate) fn line_with_variable(&self, name: &str) -> Option<u32> {
        let forms = ["", "'", "\""].map(|quote| format!("%{{{quote}{name}{quote}}}"));
        line_matching(&self.text, 1, |line| forms.iter().any(|form| line.contains(form.as_str())))
    }
}

/// A configuration being read.
pub(crate) struct Reader<'a> {
    path: &'a Str,
    pub text: &'a str,
}

impl Reader<'_> {
    pub fn wrong(&self, diagnostic: Diagnostic, line: Option<u32>) -> Error {
        Error::new(error::ErrorKind::Data, diagnostic).at(self.path, line)
    }

    /// The error for a name on two of the lines that `names` accepts.
    pub fn defined_twice(&self, code: &'static Code, name: &str, names: impl Fn(&str) -> bool) -> Error {
        let first = line_matching(self.text, 1, &names);
        let second = first.and_then(|first| line_matching(self.text, first + 1, &names));
        let earlier = first.filter(|_| second.is_some());
        // Puppet names the line only, since the file is that of the error.
        let in_message =
            earlier.map(|line| kukla_syntax::SourcePosition::Line { file: None, line: Some(line) });
        let facts =
            vec![("name", Fact::of(name)), ("earlier", Fact::position(" First defined at", in_message))];
        let shown = earlier.map(|line| kukla_syntax::SourcePosition::line_of(self.path, Some(line)));
        let wrong = Diagnostic::new(code, facts).label_if_known(shown, "first defined here");
        self.wrong(wrong, second.or(first))
    }

    pub fn assert(&self, ty: &Type, hash: &Hash) -> Result<()> {
        let subject = format!("The Lookup Configuration at '{}'", self.path);
        mismatch::assert(&subject, ty, &hash.clone().into()).map_err(type_error)
    }

    fn version_5(&self, hash: Hash, place: LayerKind, config: &mut Config) -> Result<()> {
        let mut hash = hash;
        if !hash.get("defaults").is_some_and(Value::is_true) {
            let defaults: Hash = [("datadir", "data"), ("data_hash", "yaml_data")].into_iter().collect();
            hash.insert("defaults", defaults);
        }
        if !hash.get("hierarchy").is_some_and(Value::is_true) {
            let common: Hash = [("name", "Common"), ("path", "common.yaml")].into_iter().collect();
            hash.insert("hierarchy", vec![Value::from(common)]);
        }
        self.assert(&VERSION_5, &hash)?;
        let empty = Hash::new();
        let defaults = hash.get("defaults").and_then(Value::as_hash).unwrap_or(&empty);
        if FUNCTION_KEYS.iter().filter(|(key, _)| defaults.contains_key(*key)).count() > 1 {
            let wrong =
                diagnostic!(HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT { keys: FUNCTION_LIST });
            return Err(self.wrong(wrong, None));
        }
        if let Some(key) = reserved(defaults) {
            return Err(self.wrong(diagnostic!(HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET { key }), None));
        }
        let levels =
            |key: &str| hash.get(key).and_then(Value::as_array).map(|a| a.to_vec()).unwrap_or_default();
        for level in levels("hierarchy").iter().filter_map(Value::as_hash) {
            self.check_level(level, defaults, place)?;
        }
        for level in levels("plan_hierarchy").iter().filter_map(Value::as_hash) {
            self.check_level(level, defaults, place)?;
        }
        if hash.contains_key("default_hierarchy") {
            if place != LayerKind::Module {
                let line = line_matching(self.text, 1, |line| {
                    line.split_whitespace().any(|word| word.starts_with("default_hierarchy:"))
                });
                return Err(self.wrong(diagnostic!(HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE), line));
            }
            for level in levels("default_hierarchy").iter().filter_map(Value::as_hash) {
                self.check_level(level, defaults, place)?;
            }
            config.default_hierarchy = Some(self.levels(&levels("default_hierarchy"), defaults)?);
        }
        config.hierarchy = self.levels(&levels("hierarchy"), defaults)?;
        Ok(())
    }

    fn check_level(&self, level: &Hash, defaults: &Hash, place: LayerKind) -> Result<()> {
        let name = text(level, "name");
        let functions = |hash: &Hash| FUNCTION_KEYS.iter().filter(|(key, _)| hash.contains_key(*key)).count();
        match functions(level) {
            0 if functions(defaults) == 0 => {
                let wrong = diagnostic!(HIERA_MISSING_DATA_PROVIDER_FUNCTION { keys: FUNCTION_LIST, name });
                return Err(self.wrong(wrong, None));
            }
            0 | 1 => {}
            _ => {
                let wrong = diagnostic!(HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS { keys: FUNCTION_LIST, name });
                return Err(self.wrong(wrong, None));
            }
        }
        if let Some(backend) = level.get("hiera3_backend").and_then(Value::as_str) {
            let line = |with: &str| {
                line_matching(self.text, 1, |line| line.contains("hiera3_backend:") && line.contains(with))
            };
            if place != LayerKind::Global {
                return Err(self.wrong(diagnostic!(HIERA_V3_BACKEND_NOT_GLOBAL), line("")));
            }
            if matches!(backend, "json" | "yaml" | "hocon") {
                let wrong = diagnostic!(HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH { name: backend });
                return Err(self.wrong(wrong, line(backend)));
            }
        }
        if LOCATION_KEYS.iter().filter(|key| level.contains_key(**key)).count() > 1 {
            let given: Vec<&str> =
                LOCATION_KEYS.iter().copied().filter(|key| level.contains_key(*key)).collect();
            let wrong = diagnostic!(HIERA_MULTIPLE_LOCATION_SPECS { keys: LOCATION_LIST, name };
                hint: "this level has {}; keep one of them, such as `paths` with the path of each file",
                given.join(" and "));
            let line = self.second_line_of(&name, &given);
            return Err(self.wrong(wrong.focus_on(SourcePosition::line_of(self.path, line), ""), None));
        }
        if let Some(key) = reserved(level) {
            return Err(self.wrong(diagnostic!(HIERA_OPTION_RESERVED_BY_PUPPET { key, name }), None));
        }
        Ok(())
    }

    /// The second line of a level that begins with one of some keys.
    fn second_line_of(&self, name: &str, keys: &[&str]) -> Option<u32> {
        let mut found = Vec::new();
        let mut is_level = false;
        for (index, line) in self.text.lines().enumerate() {
            let content = line.trim_start();
            if content.starts_with("- ") && line.contains(':') {
                if is_level && found.len() > 1 {
                    break;
                }
                (is_level, found) = (false, Vec::new());
            }
            let entry = content.trim_start_matches("- ");
            let key = entry.split(':').next().unwrap_or("").trim();
            is_level |= key == "name" && entry.contains(name);
            if keys.contains(&key) {
                found.push(index as u32 + 1);
            }
        }
        found.get(1).copied().filter(|_| is_level)
    }

    fn levels(&self, levels: &[Value], defaults: &Hash) -> Result<Vec<LevelEntry>> {
        let mut entries: Vec<LevelEntry> = Vec::new();
        for level in levels.iter().filter_map(Value::as_hash) {
            let name = text(level, "name");
            self.check_name(&entries, &name)?;
            let function = |hash: &Hash| {
                FUNCTION_KEYS.iter().find_map(|(key, kind)| {
                    let name = hash.get(*key)?.as_str()?;
                    Some(match kind {
                        Some(kind) => Backend::new(*kind, name),
                        None => Backend::Hiera3(name.into()),
                    })
                })
            };
            let Some(backend) = function(level).or_else(|| function(defaults)) else { continue };
            let string = |hash: &Hash, key: &str| hash.get(key).and_then(Value::as_str).map(Str::from);
            let options = level.get("options").filter(|o| o.is_true()).or(defaults.get("options"));
            entries.push(LevelEntry {
                name,
                backend,
                datadir: string(level, "datadir")
                    .or(string(defaults, "datadir"))
                    .unwrap_or_else(|| "data".into()),
                locations: locations(level),
                options: options.and_then(Value::as_hash).cloned().unwrap_or_default(),
            });
        }
        Ok(entries)
    }

    fn check_name(&self, entries: &[LevelEntry], name: &str) -> Result<()> {
        if entries.iter().all(|entry| entry.name != name) {
            return Ok(());
        }
        let names = |line: &str| {
            let Some(at) = line.find("name:").filter(|at| line[..*at].ends_with(char::is_whitespace)) else {
                return false;
            };
            let value = line[at + 5..].trim_start().trim_start_matches(['"', '\'']);
            let rest = value.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        Err(self.defined_twice(&HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED, name, names))
    }

    fn version_4(&self, hash: Hash, config: &mut Config) -> Result<()> {
        let mut hash = hash;
        if !hash.get("datadir").is_some_and(Value::is_true) {
            hash.insert("datadir", "data");
        }
        if !hash.get("hierarchy").is_some_and(Value::is_true) {
            let common: Hash = [("name", "common"), ("backend", "yaml")].into_iter().collect();
            hash.insert("hierarchy", vec![Value::from(common)]);
        }
        self.assert(&VERSION_4, &hash)?;
        let levels = hash.get("hierarchy").and_then(Value::as_array).map(|a| a.to_vec()).unwrap_or_default();
        for level in levels.iter().filter_map(Value::as_hash) {
            let name = text(level, "name");
            self.check_name(&config.hierarchy, &name)?;
            let (format, extension) = match &*text(level, "backend") {
                "yaml" => (DataFormat::Yaml, ".yaml"),
                "json" => (DataFormat::Json, ".json"),
                "hocon" => (DataFormat::Hocon, ".conf"),
                other => {
                    let line = line_matching(self.text, 1, |line| line.contains(other));
                    return Err(self.wrong(diagnostic!(HIERA_NO_PROVIDER_FOR_BACKEND { name: other }), line));
                }
            };
            let paths = match (level.get("paths"), level.get("path")) {
                (Some(Value::Array(paths)), _) => {
                    paths.iter().filter_map(Value::as_str).map(Str::from).collect()
                }
                (_, Some(Value::String(path))) => vec![path.clone()],
                _ => vec![name.clone()],
            };
            let datadir =
                level.get("datadir").or(hash.get("datadir")).and_then(Value::as_str).unwrap_or("data");
            config.hierarchy.push(LevelEntry {
                name,
                backend: Backend::File(format),
                datadir: datadir.into(),
                locations: Some(Locations::Extended(paths, extension.into())),
                options: Hash::new(),
            });
        }
        Ok(())
    }
}

fn text(hash: &Hash, key: &str) -> Str {
    hash.get(key).and_then(Value::as_str).unwrap_or_default().into()
}

fn reserved(hash: &Hash) -> Option<&'static str> {
    let options = hash.get("options")?.as_hash()?;
    ["path", "uri"].into_iter().find(|key| options.contains_key(*key))
}

fn locations(level: &Hash) -> Option<Locations> {
    let one = |key: &str| level.get(key).and_then(Value::as_str).map(|text| vec![Str::from(text)]);
    let many = |key: &str| {
        let list = level.get(key)?.as_array()?;
        Some(list.iter().filter_map(Value::as_str).map(Str::from).collect::<Vec<_>>())
    };
    let either = |single: &str, several: &str| one(single).or_else(|| many(several));
    if let Some(paths) = either("path", "paths") {
        return Some(Locations::Paths(paths));
    }
    if let Some(globs) = either("glob", "globs") {
        return Some(Locations::Globs(globs));
    }
    if let Some(uris) = either("uri", "uris") {
        return Some(Locations::Uris(uris));
    }
    many("mapped_paths").and_then(|parts| <[Str; 3]>::try_from(parts).ok()).map(Locations::Mapped)
}

/// Ruby's `to_i` on what a version may be written as.
fn leading_integer(text: &str) -> i64 {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The first line from `start` on that fits, comments left out.
pub(crate) fn line_matching(text: &str, start: u32, fits: impl Fn(&str) -> bool) -> Option<u32> {
    text.lines().zip(1u32..).find_map(|(line, number)| {
        let mut quote = None;
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            match c {
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                '#' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        (number >= start && fits(&line[..end])).then_some(number)
    })
}

fn some_text() -> Type {
    Type::String(Range::at_least(1))
}

fn texts(size: Range) -> Type {
    Type::array_sized(some_text(), size)
}

/// Optional keys may be absent but not undefined.
fn optional(name: &str, ty: Type) -> StructField {
    StructField::optional(name, ty)
}

static VERSION_5: LazyLock<Type> = LazyLock::new(|| {
    let some = Range::at_least(1);
    let option_name = match Regexp::new(r"\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z") {
        Ok(pattern) => Type::Pattern([pattern].into()),
        Err(_) => some_text(),
    };
    let options = Type::hash(option_name, Type::Data);
    let level = Type::structure([
        StructField::new("name", some_text()),
        optional("options", options.clone()),
        optional("data_hash", some_text()),
        optional("lookup_key", some_text()),
        optional("hiera3_backend", some_text()),
        optional("v4_data_hash", some_text()),
        optional("data_dig", some_text()),
        optional("path", some_text()),
        optional("paths", texts(some)),
        optional("glob", some_text()),
        optional("globs", texts(some)),
        optional("uri", some_text()),
        optional("uris", texts(some)),
        optional("mapped_paths", texts(Range::exactly(3))),
        optional("datadir", some_text()),
    ]);
    let hierarchy = Type::array(level);
    let defaults = Type::structure([
        optional("data_hash", some_text()),
        optional("lookup_key", some_text()),
        optional("data_dig", some_text()),
        optional("datadir", some_text()),
        optional("options", options),
    ]);
    Type::structure([
        StructField::new("version", Type::Integer(Range::exactly(5))),
        optional("defaults", defaults),
        optional("hierarchy", hierarchy.clone()),
        optional("plan_hierarchy", hierarchy.clone()),
        optional("default_hierarchy", hierarchy),
    ])
});

static VERSION_4: LazyLock<Type> = LazyLock::new(|| {
    let level = Type::structure([
        StructField::new("backend", some_text()),
        StructField::new("name", some_text()),
        optional("datadir", some_text()),
        optional("path", some_text()),
        optional("paths", texts(Range::ANY_SIZE)),
    ]);
    Type::structure([
        StructField::new("version", Type::Integer(Range::exactly(4))),
        optional("datadir", some_text()),
        optional("hierarchy", Type::array(level)),
    ])
});
