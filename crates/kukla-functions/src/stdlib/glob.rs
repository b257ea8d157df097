//! `glob`: the paths that fit a pattern of `*`, `?`, `[a-z]`, `{a,b}` and `**`, as Ruby's `Dir.glob` finds them.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_syntax::diagnostic;
use kukla_values::{Array, Result, Value};
use kukla_world::glob;

use crate::codes::TOO_MANY_DIRECTORIES;
use crate::legacy::{LEGACY, legacy, wrong_number, wrong_type};
use crate::ruby;

builtins! {
    /// The paths of files that match a pattern or one of several.
    "glob": ReadsFiles {
        LEGACY => glob;
        tools "Variant[String, Array[String]] $patterns >> Array[String]"
    }
}

fn glob(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [pattern] = args.as_slice() else {
        return Err(wrong_number("glob", args.len(), 1));
    };
    if !matches!(pattern, Value::String(_) | Value::Array(_)) {
        return Err(wrong_type("glob", "Requires either array or string to work"));
    }
    let mut found = Array::new();
    for pattern in &ruby::to_array(pattern) {
        let paths = glob::glob(vm.world(), ruby::text(pattern)?)
            .map_err(|glob::TooMany| diagnostic!(TOO_MANY_DIRECTORIES { limit: glob::MOST_LISTED }))?;
        paths.into_iter().for_each(|path| found.push(path.into()));
    }
    Ok(found)
}
