//! `glob`: the paths that fit a pattern of `*`, `?`, `[a-z]`, `{a,b}` and `**`, as Ruby's `Dir.glob` finds them.

use kukla_eval::builtins;
use kukla_eval::function::Rest;
use kukla_eval::vm::Vm;
use kukla_values::{Array, Error, Result, Value};
use kukla_world::glob;

use crate::legacy::legacy;
use crate::ruby;

builtins! {
    /// The paths of files that match a pattern or one of several.
    "glob": ReadsFiles {
        "Any *$args, Optional[Callable] &$block" => glob;
        tools "Variant[String, Array[String]] $patterns >> Array[String]"
    }
}

fn glob(vm: &mut Vm<'_>, Rest(args): Rest) -> Result<Array> {
    let args = legacy(args)?;
    let [pattern] = args.as_slice() else {
        return Err(Error::runtime(format!(
            "glob(): Wrong number of arguments given ({} for 1)",
            args.len()
        )));
    };
    if !matches!(pattern, Value::String(_) | Value::Array(_)) {
        return Err(Error::runtime("glob(): Requires either array or string to work"));
    }
    let mut found = Array::new();
    for pattern in &ruby::to_array(pattern) {
        let paths = glob::glob(vm.world(), ruby::text(pattern)?).map_err(|glob::TooMany| {
            Error::runtime(format!("glob(): more than {} directories to look into", glob::MOST_LISTED))
        })?;
        paths.into_iter().for_each(|path| found.push(path.into()));
    }
    Ok(found)
}
