//! Files of modules and of the machine: `file`, `binary_file`, `find_file`, `find_template`, `module_directory`, `generate`, and `template`,
//! `inline_template`, which are Ruby's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_eval::builtins;
use kukla_eval::error::{Diagnostic, Flow};
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::{bail, diagnostic};
use kukla_values::binary::Binary;
use kukla_values::{Result, Str, Value};
use kukla_world::FileError;

use crate::codes::{
    COMMAND_FAILED, COMMAND_NOT_RUN, GENERATOR_ABOVE_DIRECTORY, GENERATOR_FAILED,
    GENERATOR_ILLEGAL_CHARACTER, GENERATOR_NOT_ABSOLUTE, NO_SUCH_BINARY_FILE, NO_SUCH_FILES,
    NO_SUCH_TEMPLATE, RUBY_TEMPLATE, TEMPLATE_NO_STRING, UNREADABLE_FILE, UNREADABLE_TEMPLATE,
};
use crate::legacy::{LEGACY, at_least};
use crate::ruby;
use crate::stdlib::checks::{not_a_path, warn_unless_text};
use crate::stdlib::misc::warn;

builtins! {
    /// The text of the first file there is: `module/name` for one in a module's `files` directory, or an absolute path.
    ///
    /// ```puppet
    /// file('/no/such/file', '/nor/this')    # error: Could not find any files from /no/such/file, /nor/this
    /// ```
    "file": ReadsFiles {
        LEGACY => file;
        tools "Array[String, 1] *$paths >> String"
    }

    /// The bytes of a file: `module/name` for one in a module's `files` directory, or an absolute path.
    ///
    /// ```puppet
    /// binary_file('/no/such/file')    # error: The given file '/no/such/file' does not exist
    /// ```
    "binary_file": ReadsFiles { "String $path >> Binary" => binary_file }

    /// The path of the first file there is, or undef: `module/name` for one in a module's `files` directory, or an absolute path.
    ///
    /// ```puppet
    /// find_file('/no/such/file')    # => undef
    /// ```
    "find_file": ReadsFiles {
        "String *$paths >> Optional[String]" => |vm: &mut Vm<'_>, Rest(paths): Rest| first_file(vm, &paths, "files"),
        "Array[Array[String]] *$paths_array >> Optional[String]" => |vm: &mut Vm<'_>, Rest(paths): Rest| first_file(vm, &ruby::flatten(&paths), "files"),
    }

    /// The path of the first template there is, or undef: `module/name` for one in a module's `templates` directory, or an absolute path.
    ///
    /// ```puppet
    /// find_template('/no/such/file')    # => undef
    /// ```
    "find_template": ReadsFiles {
        "String *$paths >> Optional[String]" => |vm: &mut Vm<'_>, Rest(paths): Rest| first_file(vm, &paths, "templates"),
        "Array[Array[String]] *$paths_array >> Optional[String]" => |vm: &mut Vm<'_>, Rest(paths): Rest| first_file(vm, &ruby::flatten(&paths), "templates"),
    }

    /// The directory of the first module there is, or undef.
    ///
    /// ```puppet
    /// module_directory('no_such_module')    # => undef
    /// ```
    "module_directory": ReadsFiles {
        "String *$names >> Optional[String]" => module_directory,
        "Array[Array[String]] *$names >> Optional[String]" => module_directory,
    }

    /// The output of a command on the machine that compiles. The command is given by its absolute path; its arguments reach it unchanged.
    ///
    /// ```puppet
    /// generate('relative/command')    # error: Generators must be fully qualified
    /// ```
    "generate": RunsCommands {
        LEGACY => generate;
        tools "String $command, String *$arguments >> String"
    }

    /// Renders templates in Ruby (ERB).
    ///
    /// ```puppet
    /// template('no_module/motd.erb')    # error: Could not find template 'no_module/motd.erb'
    /// ```
    "template": ReadsVariables, ReadsFiles {
        LEGACY => template;
        tools "Array[String, 1] *$paths >> String"
    }

    /// Renders the text of templates in Ruby (ERB).
    ///
    /// ```puppet
    /// inline_template('mere text')    # => 'mere text'
    /// ```
    "inline_template": ReadsVariables {
        LEGACY => inline_template;
        tools "Array[String, 1] *$templates >> String"
    }
}

/// Where a reference leads, whether or not there is a file: an absolute path as it is, `module/name` into a directory of the module.
fn locate(vm: &Vm<'_>, reference: &str, directory: &str) -> Option<PathBuf> {
    if reference.starts_with('/') {
        return Some(reference.into());
    }
    if directory == "templates"
        && let Some(path) = vm.environment().template_override(reference)
    {
        return Some(path);
    }
    let (module, name) = reference.split_once('/')?;
    Some(vm.environment().module(module)?.root.join(directory).join(name))
}

/// The file that a reference leads to, if there is one. That one may not be read is not passed over in silence.
pub fn existing(vm: &Vm<'_>, reference: &str, directory: &str) -> Result<Option<PathBuf>> {
    let Some(path) = locate(vm, reference, directory) else { return Ok(None) };
    match vm.world().refusal(&path) {
        Some(refusal) => Err(refusal.diagnostic().into()),
        None => Ok(Some(path).filter(|path| vm.world().exists(path))),
    }
}

fn first_file(vm: &Vm<'_>, references: &[Value], directory: &str) -> Result<Value> {
    for reference in references.iter().filter_map(Value::as_str) {
        if let Some(path) = existing(vm, reference, directory)? {
            return Ok(path.to_string_lossy().into_owned().into());
        }
    }
    Ok(Value::Undef)
}

fn read(vm: &mut Vm<'_>, path: &Path) -> Result<Vec<u8>> {
    vm.note_file(path, std::iter::empty());
    vm.world().read(path).map_err(|error| unreadable(path, error).into())
}

/// A file that cannot be read, in Ruby's words.
fn unreadable(path: &Path, error: FileError) -> Diagnostic {
    let why = match error {
        FileError::NotFound => "No such file or directory".to_owned(),
        FileError::Other(why) => why,
        FileError::Refused(refusal) => return refusal.diagnostic(),
    };
    diagnostic!(UNREADABLE_FILE { reason: format_args!("{why} @ rb_sysopen"), path: path.display() })
}

fn file(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Value> {
    let args = at_least("file", 1, args)?;
    for arg in &args {
        let Value::String(reference) = arg else {
            // Puppet asks twice whether the path is absolute, and each time says this.
            for _ in 0..2 {
                let (shown, class) = (ruby::to_s(arg), ruby::class(arg));
                let why = format!("because it is a '{class}' and not a String'");
                warn(vm, format!("Cannot check if {shown} is an absolute path {why}"));
            }
            return Err(ruby::no_method("split", arg));
        };
        if let Some(path) = existing(vm, reference, "files")? {
            // Text that is not valid UTF-8 stays bytes.
            return Ok(match String::from_utf8(read(vm, &path)?) {
                Ok(text) => text.into(),
                Err(error) => Value::Binary(Binary(Arc::from(error.into_bytes()))),
            });
        }
    }
    let wrong = diagnostic!(NO_SUCH_FILES { paths: ruby::join(&args, ", ") });
    let last = args.last().and_then(Value::as_str).unwrap_or_default();
    Err(with_near(vm, wrong, last, "files").into())
}

/// That a file is not there, with the one that may have been meant.
#[cold]
pub fn with_near(vm: &Vm<'_>, wrong: Diagnostic, reference: &str, directory: &str) -> Diagnostic {
    match vm.environment().near_file(reference, directory) {
        Some(near) => wrong.hint(format!("there is '{near}'")),
        None => wrong,
    }
}

fn binary_file(vm: &mut Vm<'_>, reference: Str) -> Result<Value> {
    match existing(vm, &reference, "files")? {
        Some(path) => Ok(Value::Binary(Binary(Arc::from(read(vm, &path)?)))),
        None => bail!(NO_SUCH_BINARY_FILE { path: reference }),
    }
}

fn module_directory(vm: &mut Vm<'_>, Rest(names): Rest) -> Value {
    let names = ruby::flatten(&names);
    let found = names.iter().filter_map(Value::as_str).find_map(|name| vm.environment().module(name));
    found.map_or(Value::Undef, |module| module.root.to_string_lossy().into_owned().into())
}

fn generate(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<String> {
    let args = at_least("generate", 1, args)?;
    let command: Vec<String> = args.iter().map(|arg| ruby::to_s(arg).to_string()).collect();
    let program = &command[0];
    if !program.starts_with('/') {
        if args[0].as_str().is_none() {
            vm.warn(not_a_path(&args[0]));
        }
        bail!(GENERATOR_NOT_ABSOLUTE);
    }
    if !program.chars().all(|c| c.is_ascii_alphanumeric() || "-/_.+".contains(c)) {
        bail!(GENERATOR_ILLEGAL_CHARACTER);
    }
    if program.contains("..") {
        bail!(GENERATOR_ABOVE_DIRECTORY);
    }
    let fails = |cause: Diagnostic| Err(diagnostic!(GENERATOR_FAILED { program }).because(cause).into());
    let failed = |code: i32, output: &str| {
        fails(diagnostic!(COMMAND_FAILED { command: command.join(" "), code, output }))
    };
    match vm.world().run(&command) {
        Ok(output) if output.code == Some(0) => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr))
        }
        Ok(output) => {
            let text = [output.stdout, output.stderr].concat();
            failed(output.code.unwrap_or(1), String::from_utf8_lossy(&text).trim())
        }
        Err(FileError::NotFound) => failed(1, ""),
        Err(FileError::Refused(refusal)) => fails(refusal.diagnostic()),
        Err(FileError::Other(reason)) => fails(diagnostic!(COMMAND_NOT_RUN { reason })),
    }
}

fn template(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Str> {
    let mut rendered = Str::new();
    for arg in at_least("template", 1, args)? {
        let Value::String(name) = &arg else {
            warn_unless_text(vm, &arg);
            return Err(ruby::no_method("split", &arg).into());
        };
        // An absolute path is taken as it is.
        let found =
            if name.starts_with('/') { Some(name.as_str().into()) } else { existing(vm, name, "templates")? };
        let Some(path) = found else {
            return Err(with_near(vm, diagnostic!(NO_SUCH_TEMPLATE { name }), name, "templates").into());
        };
        let text = match vm.world().read(&path) {
            Ok(bytes) => lossy(bytes),
            Err(error) => {
                let wrong = diagnostic!(UNREADABLE_TEMPLATE { path: path.display() });
                return Err(wrong.because(unreadable(&path, error)).into());
            }
        };
        append(&mut rendered, render(vm, name, Some(&path), text)?);
    }
    Ok(rendered)
}

/// The text of bytes, with invalid UTF-8 replaced.
fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn inline_template(vm: &mut Vm<'_>, Rest(args): Rest) -> Flow<Str> {
    let mut rendered = Str::new();
    for arg in at_least("inline_template", 1, args)? {
        let Value::String(text) = &arg else {
            let method = if arg == Value::Default { "b" } else { "encoding" };
            let cause = ruby::no_method(method, &arg);
            return Err(diagnostic!(TEMPLATE_NO_STRING).because(cause).into());
        };
        append(&mut rendered, render(vm, "", None, text.to_string())?);
    }
    Ok(rendered)
}

/// Adds the text of another template; that of the only one is taken as it is.
fn append(rendered: &mut Str, text: Str) {
    match rendered.is_empty() {
        true => *rendered = text,
        false => rendered.push_str(&text),
    }
}

/// The text of a template in Ruby; one that holds no Ruby is its own.
fn render(vm: &mut Vm<'_>, name: &str, path: Option<&Path>, text: String) -> Flow<Str> {
    if !text.contains("<%") {
        return Ok(text.into());
    }
    match vm.environment().extensions.clone() {
        Some(extensions) => extensions.render(vm, name, path, &text),
        None => {
            bail!(RUBY_TEMPLATE { name }; hint: "write the template in Puppet (EPP) and render it with epp()")
        }
    }
}
