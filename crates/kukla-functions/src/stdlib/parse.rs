//! Values from text and files: `parsejson`, `parseyaml`, `parsehocon`, `parsepson`, `loadjson`, `loadyaml`, `load_module_metadata`.

use std::path::Path;

use kukla_eval::builtins;
use kukla_eval::error::Flow;
use kukla_eval::function::Rest;
use kukla_eval::settings::LogLevel;
use kukla_eval::vm::Vm;
use kukla_formats::{Error, hocon, json, yaml};
use kukla_syntax::{bail, diagnostic};
use kukla_values::{Result, Str, Value};
use kukla_world::FileError;
use kukla_world::answers::{self, Kind};

use crate::codes::{
    CURL_NOT_RUN, FETCH_FAILED, INVALID_HOCON, INVALID_JSON, INVALID_YAML, NO_CURL, NO_MODULE_METADATA,
    NO_PSON, NOT_PSON, NOTHING_TO_PARSE, UNREADABLE_FILE,
};
use crate::legacy::{LEGACY, at_least, legacy, wrong_count};
use crate::ruby;
use crate::stdlib::paths::module_root;

builtins! {
    /// The value of a JSON text, or a default if it is invalid.
    ///
    /// ```puppet
    /// parsejson('{"a": [1, null]}')    # => {'a' => [1, undef]}
    /// parsejson('{', 'none')           # => 'none'
    /// ```
    "parsejson" {
        LEGACY => parsejson;
        tools "String $text, Any $default = undef >> Any"
    }

    /// The value of a YAML text, or a default if it is invalid.
    ///
    /// ```puppet
    /// parseyaml("a: [1, yes]")    # => {'a' => [1, true]}
    /// ```
    "parseyaml" {
        LEGACY => parseyaml;
        tools "String $text, Any $default = undef >> Any"
    }

    /// The value of a HOCON text, or a default if it is invalid.
    ///
    /// ```puppet
    /// parsehocon('a.b: 1')    # => {'a' => {'b' => 1}}
    /// ```
    "parsehocon": BeyondRuby { "String $hocon_string, Any $default = undef >> Any" => parsehocon }
    /// The same as `parsehocon`.
    ///
    /// ```puppet
    /// stdlib::parsehocon('a = x')    # => {'a' => 'x'}
    /// ```
    "stdlib::parsehocon": BeyondRuby { "String $hocon_string, Any $default = undef >> Any" => parsehocon }

    /// The value of a text in PSON, a dialect of JSON, or a default.
    ///
    /// ```puppet
    /// parsepson('[1]')    # => [1]
    /// ```
    "parsepson" { "String[1] $pson_string, Any $default = undef >> Any" => parsepson }

    /// The value of a JSON file, or a default if it is missing or invalid.
    ///
    /// ```puppet
    /// loadjson('/no/such/file', {})    # => {}
    /// ```
    "loadjson": ReadsFiles, BeyondRuby {
        LEGACY => loadjson;
        tools "String $path, Any $default = undef >> Any"
    }

    /// The value of a YAML file, or a default if it is missing or invalid.
    ///
    /// ```puppet
    /// loadyaml('/no/such/file', {})    # => {}
    /// ```
    "loadyaml": ReadsFiles, BeyondRuby {
        LEGACY => loadyaml;
        tools "String $path, Any $default = undef >> Any"
    }

    /// The content of a module's `metadata.json`; undef if the file is missing and may be.
    "load_module_metadata": ReadsFiles {
        LEGACY => load_module_metadata;
        tools "String $module, Boolean $allow_missing = false >> Hash"
    }
}

fn read_json(text: &str) -> Result<Value> {
    Ok(json::read(text).map_err(|reason| diagnostic!(INVALID_JSON { reason }))?.value)
}

/// Plain data and symbols, as Ruby's `YAML.load` allows; symbols become text.
const PLAIN: yaml::Options = yaml::Options { aliases: false, symbols: true, times: false };
/// Plain data and references within the text.
const WITH_ALIASES: yaml::Options = yaml::Options { aliases: true, symbols: false, times: false };

fn read_yaml(text: &[u8], options: yaml::Options) -> Result<Value> {
    Ok(yaml::read(text, options).map_err(|reason| diagnostic!(INVALID_YAML { reason }))?.value)
}

/// The parsed value, or the default if it is missing or invalid.
fn or_default(read: Result<Value>, default: Option<&Value>) -> Result<Value> {
    match (read, default.filter(|default| default.is_true())) {
        (Ok(value), _) if value.is_true() => Ok(value),
        (Ok(_), _) => Ok(default.cloned().unwrap_or_default()),
        (Err(_), Some(default)) => Ok(default.clone()),
        (Err(error), None) => Err(error),
    }
}

fn one_or_two(args: Vec<Value>) -> Result<Vec<Value>> {
    let args = legacy(args)?;
    if args.is_empty() {
        bail!(NOTHING_TO_PARSE);
    }
    Ok(args)
}

fn parsejson(Rest(args): Rest) -> Result<Value> {
    let args = one_or_two(args)?;
    or_default(ruby::text(&args[0]).and_then(|text| read_json(text)), args.get(1))
}

fn parseyaml(Rest(args): Rest) -> Result<Value> {
    let args = one_or_two(args)?;
    or_default(ruby::text(&args[0]).and_then(|text| read_yaml(text.as_bytes(), PLAIN)), args.get(1))
}

fn parsehocon(vm: &mut Vm<'_>, text: Str, default: Option<Value>) -> Result<Value> {
    let world = vm.world();
    let variable = |name: &str| world.env(name).map_err(|refused| Error::bare(refused.to_string()));
    match (hocon::read(&text, &variable), default) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(default)) => Ok(default),
        (Err(reason), None) => bail!(INVALID_HOCON { reason }),
    }
}

fn parsepson(text: Str, default: Option<Value>) -> Result<Value> {
    let value = match text.trim_start() {
        "" => Err(diagnostic!(NO_PSON).into()),
        rest if rest.starts_with(['[', '{']) => read_json(&text),
        rest => Err(diagnostic!(NOT_PSON { text: rest.chars().take(20).collect::<String>() }).into()),
    };
    match (value, default) {
        (Ok(value), _) => Ok(value),
        (Err(_), Some(default)) => Ok(default),
        (Err(error), None) => Err(error),
    }
}

fn loadjson(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = at_least("loadjson", 1, args)?;
    load(vm, &args, |bytes| read_json(&String::from_utf8_lossy(bytes)))
}

fn loadyaml(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Value> {
    let args = at_least("loadyaml", 1, args)?;
    load(vm, &args, |bytes| read_yaml(bytes, WITH_ALIASES))
}

fn load(vm: &mut Vm<'_>, args: &[Value], read: impl Fn(&[u8]) -> Result<Value>) -> Flow<Value> {
    let default = args.get(1);
    let Value::String(path) = &args[0] else {
        let why = match &args[0] {
            symbol @ Value::Default => ruby::no_conversion(symbol, "String"),
            other => ruby::no_method("start_with?", other),
        };
        return Ok(or_default(Err(why), default)?);
    };
    if path.starts_with("http://") || path.starts_with("https://") {
        return match fetch(vm, path) {
            Ok(bytes) => Ok(or_default(read(&bytes), default)?),
            Err(why) => Ok(or_default(Err(why), default)?),
        };
    }
    match vm.world().read(Path::new(path.as_str())) {
        Ok(bytes) => Ok(or_default(read(&bytes), default)?),
        Err(FileError::NotFound) => {
            vm.log(LogLevel::Warning, format!("Can't load '{path}' File does not exist!"));
            Ok(default.cloned().unwrap_or_default())
        }
        Err(FileError::Refused(refusal)) => Err(refusal.diagnostic().into()),
        Err(FileError::Other(reason)) => {
            Ok(or_default(Err(diagnostic!(UNREADABLE_FILE { reason, path }).into()), default)?)
        }
    }
}

/// The response of another host. Requests run `curl`, so the policy for commands is the policy for the network.
fn fetch(vm: &mut Vm<'_>, given: &str) -> Result<Vec<u8>> {
    if let Some(answer) = answers::ask(vm.world(), Kind::Http, &[given.to_owned(), format!("GET {given}")]) {
        return recorded(vm, given, &answer?);
    }
    let (scheme, rest) = given.split_once("://").unwrap_or(("http", given));
    let (user, url) = match rest.rsplit_once('@') {
        Some((user, place)) => (Some(user), format!("{scheme}://{place}")),
        None => (None, given.to_owned()),
    };
    let mut command = vec!["curl", "--silent", "--show-error", "--location", "--write-out", "%{http_code}"];
    let user = user.map(|user| if user.contains(':') { user.to_owned() } else { format!("{user}:") });
    if let Some(user) = &user {
        command.extend(["--user", user]);
    }
    command.extend(["--", &url]);
    let command: Vec<String> = command.into_iter().map(str::to_owned).collect();
    let output = match vm.world().run(&command) {
        Ok(output) => output,
        Err(FileError::NotFound) => bail!(NO_CURL { url }),
        Err(FileError::Refused(refusal)) => return Err(refusal.diagnostic().into()),
        Err(FileError::Other(reason)) => bail!(CURL_NOT_RUN { url, reason }),
    };
    if output.code != Some(0) {
        bail!(FETCH_FAILED { reason: String::from_utf8_lossy(&output.stderr).trim() });
    }
    let (body, status) = output.stdout.split_at(output.stdout.len().saturating_sub(3));
    if !status.starts_with(b"2") {
        let status = String::from_utf8_lossy(status);
        vm.log(LogLevel::Warning, format!("Can't load '{url}' HTTP Error Code: '{status}'"));
        return Ok(Vec::new());
    }
    Ok(body.to_vec())
}

/// The recorded answer for a URL: the text, or a hash with `status` and `body`.
fn recorded(vm: &mut Vm<'_>, url: &str, answer: &Value) -> Result<Vec<u8>> {
    let Value::Hash(parts) = answer else { return Ok(ruby::to_s(answer).as_bytes().to_vec()) };
    match parts.get("status") {
        Some(Value::Integer(status)) if !(200..300).contains(status) => {
            vm.log(LogLevel::Warning, format!("Can't load '{url}' HTTP Error Code: '{status}'"));
            Ok(Vec::new())
        }
        _ => Ok(parts.get("body").map(ruby::to_s).unwrap_or_default().as_bytes().to_vec()),
    }
}

fn load_module_metadata(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Value> {
    let args = legacy(args)?;
    if args.len() != 1 && args.len() != 2 {
        return Err(wrong_count("load_module_metadata", "Wrong number of arguments, expects one or two"));
    }
    let module = module_root(vm, &args[0])?;
    match vm.world().read(&module.join("metadata.json")) {
        Ok(bytes) => read_json(&String::from_utf8_lossy(&bytes)),
        Err(_) if args.get(1).is_some_and(Value::is_true) => Ok(Value::Hash(Default::default())),
        Err(_) => bail!(NO_MODULE_METADATA { module: ruby::to_s(&args[0]) }),
    }
}
