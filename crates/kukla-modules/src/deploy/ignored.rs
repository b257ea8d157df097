//! Settings of r10k and g10k that Kukla does not have: each is reported by name with the behaviour that it has instead.
//!
//! Settings about the inside of these tools (`cachedir`, `pool_size`, `provider`, `logging`, …) are not reported: without them everything works as well.

use kukla_values::Value;

use super::table::Table;

/// A setting that has no effect.
struct Ignored {
    /// The table: the whole file, `git`, `forge` or `source`.
    table: &'static str,
    name: &'static str,
    /// The value that asks for something else; any if it is absent.
    flag: Option<bool>,
    /// The behaviour.
    instead: &'static str,
}

const fn flag(table: &'static str, name: &'static str, flag: bool, instead: &'static str) -> Ignored {
    Ignored { table, name, flag: Some(flag), instead }
}

const fn any(table: &'static str, name: &'static str, instead: &'static str) -> Ignored {
    Ignored { table, name, flag: None, instead }
}

const TOKEN: &str = "use a credential helper of git, or a key for SSH";
const PROXY: &str = "set `proxy` at the top of the file, which is used for all connections";
const MODULES: &str =
    "an environment whose modules cannot be fetched stays as it is, and the others are deployed";
const BRANCH: &str = "an environment that is named and has no branch is an error";

const IGNORED: &[Ignored] = &[
    flag("", "ignore_unreachable_modules", true, MODULES),
    flag("", "use_cache_fallback", true, MODULES),
    flag(
        "source",
        "exit_if_unreachable",
        false,
        "nothing is deployed if the branches of a source cannot be listed",
    ),
    flag("source", "warn_if_branch_is_missing", true, BRANCH),
    any("git", "oauth_token", TOKEN),
    any("git", "github_app_id", TOKEN),
    any("git", "github_app_key", TOKEN),
    any("git", "proxy", PROXY),
    any("forge", "proxy", PROXY),
];

/// Notes about settings of a table that have no effect.
pub(super) fn note_ignored(name: &str, table: &Table<'_>, notes: &mut Vec<String>) {
    for ignored in IGNORED.iter().filter(|ignored| ignored.table == name) {
        let asks = match (table.get(ignored.name), ignored.flag) {
            (None, _) => false,
            (Some(Value::Boolean(value)), Some(flag)) => *value == flag,
            (Some(_), _) => true,
        };
        if asks {
            let position = table.position(ignored.name);
            notes.push(format!("{position}: '{}' is ignored: {}", ignored.name, ignored.instead));
        }
    }
}
