//! `File.fnmatch`: whether a path matches a shell pattern.

use kukla_world::fnmatch::{Flags, fnmatch as path_matches};

use crate::args::Args;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::value::Value;

use super::path::path_text;

/// `File.fnmatch(pattern, path, flags)`
pub fn fnmatch(ruby: &mut Ruby<'_>, _: &Value, args: &Args<'_>) -> Result {
    let pattern = ruby.to_text(&args[0])?;
    let path = path_text(ruby, &args[1])?;
    let flags = match args.get(2) {
        Some(flags) => ruby.to_int(flags)?,
        None => 0,
    };
    ruby.charge((pattern.len() * (path.len() + 1)) as u64 / 64)?;
    Ok(path_matches(&pattern.to_str_lossy(), &path, Flags::from_bits(flags)).into())
}
