//! How a file is opened: `'r'`, `'w+'`, `'ab:utf-8'`, `File::RDWR | File::CREAT`.

use kukla_world::Opening;

use super::change::mode_of;
use super::read::encoding_of;
use crate::error::Result;
use crate::ruby::Ruby;
use crate::text::Encoding;
use crate::value::{HashObject, Value};

/// Numbers that can be put together, as `open(2)` has them.
pub const WRITE_ONLY: i64 = 1;
pub const READ_WRITE: i64 = 2;
pub const CREATE: i64 = 0o100;
pub const EXCLUSIVE: i64 = 0o200;
pub const TRUNCATE: i64 = 0o1000;
pub const APPEND: i64 = 0o2000;

/// The permitted operations on an open file, and the encoding in which it is read.
pub struct Mode {
    pub reads: bool,
    /// How it is opened to be written, if it is.
    pub opening: Option<Opening>,
    /// Whether all that is written goes to its end.
    pub appends: bool,
    pub encoding: Encoding,
}

impl Mode {
    /// The meaning of a mode and permissions, from arguments (`more`) or keywords.
    pub fn of(
        ruby: &mut Ruby<'_>,
        more: &[Value],
        keywords: Option<&HashObject>,
        usual: &str,
    ) -> Result<Mode> {
        let option = |ruby: &mut Ruby<'_>, place: usize, name: &str| {
            let given = more.get(place).filter(|value| !value.is_nil()).cloned();
            given.or_else(|| ruby.keyword(keywords?, name)).filter(|value| !value.is_nil())
        };
        let (mode, permissions) = (option(ruby, 0, "mode"), option(ruby, 1, "perm"));
        let mut encoding = encoding_of(ruby, keywords)?;
        let flags = match mode {
            Some(Value::Int(flags)) => flags,
            mode => {
                let text = match mode {
                    Some(mode) => ruby.to_text(&mode)?.to_str_lossy().into_owned(),
                    None => usual.to_owned(),
                };
                let (letters, after) =
                    text.split_once(':').map_or((&*text, None), |(mode, after)| (mode, Some(after)));
                if letters.contains('b') && after.is_none() {
                    encoding = Encoding::Binary;
                }
                match flags_of(letters) {
                    Some(flags) => flags,
                    None => return Err(ruby.argument_error(format!("invalid access mode {text}"))),
                }
            }
        };
        let permissions = match permissions {
            Some(permissions) => mode_of(ruby, &permissions)?,
            None => 0o666,
        };
        let opening = (flags & (WRITE_ONLY | READ_WRITE) != 0).then_some(Opening {
            create: flags & CREATE != 0,
            new: flags & CREATE != 0 && flags & EXCLUSIVE != 0,
            truncate: flags & TRUNCATE != 0,
            mode: permissions,
        });
        Ok(Mode { reads: flags & WRITE_ONLY == 0, opening, appends: flags & APPEND != 0, encoding })
    }
}

/// The numbers that letters stand for, if they are a mode.
fn flags_of(letters: &str) -> Option<i64> {
    let mut rest = letters.chars();
    let mut flags = match rest.next()? {
        'r' => 0,
        'w' => WRITE_ONLY | CREATE | TRUNCATE,
        'a' => WRITE_ONLY | CREATE | APPEND,
        _ => return None,
    };
    for letter in rest {
        match letter {
            '+' => flags = flags & !WRITE_ONLY | READ_WRITE,
            'x' if letters.starts_with('w') => flags |= EXCLUSIVE,
            'b' | 't' => {}
            _ => return None,
        }
    }
    Some(flags)
}
