//! The options of the formatter for each file, from `kukla.toml` and `.editorconfig`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_format::{Arrows, EditorConfig, Options, Quotes};
use kukla_syntax::Problem;
use kukla_world::World;

use super::{absolute, read};
use crate::config_file::{ConfigEntry, ConfigFile};

/// The options of the formatter, from the configuration files of each directory, which are read once.
#[derive(Debug, Default)]
pub struct FormatSettings {
    /// The table of the file that was named on the command line.
    named: Option<Table>,
    directories: BTreeMap<PathBuf, Directory>,
}

/// The configuration in one directory.
#[derive(Clone, Debug, Default)]
struct Directory {
    table: Option<Table>,
    editor: Option<EditorConfig>,
}

/// The entries of `[fmt]`.
#[derive(Clone, Copy, Debug, Default)]
struct Table {
    width: Option<u32>,
    indent: Option<u32>,
    arrows: Option<Arrows>,
    quotes: Option<Quotes>,
}

impl FormatSettings {
    /// Settings from one file, which replaces every `kukla.toml`.
    pub fn of(file: &ConfigFile) -> Result<FormatSettings, Problem> {
        Ok(FormatSettings { named: Some(Table::read(file)?), directories: BTreeMap::new() })
    }

    /// The options for a file. The next `kukla.toml` counts, and before it each `.editorconfig`, the nearest most.
    pub fn options(&mut self, world: &dyn World, file: &Path) -> Result<Options, Problem> {
        let file = absolute(world, file);
        let mut options = Options::default();
        let mut table = self.named;
        let mut editors = Vec::new();
        let mut goes_on = true;
        for directory in file.ancestors().skip(1) {
            let found = self.directory(world, directory)?;
            table = table.or(found.table);
            if let Some(editor) = found.editor.filter(|_| goes_on) {
                goes_on = !editor.is_root();
                let path = file.strip_prefix(directory).unwrap_or(&file).to_string_lossy().into_owned();
                editors.push((editor, path));
            }
        }
        for (editor, path) in editors.iter().rev() {
            editor.apply(path, &mut options);
        }
        let table = table.unwrap_or_default();
        Ok(Options {
            width: table.width.unwrap_or(options.width),
            indent: table.indent.unwrap_or(options.indent),
            arrows: table.arrows.unwrap_or(options.arrows),
            quotes: table.quotes.unwrap_or(options.quotes),
        })
    }

    fn directory(&mut self, world: &dyn World, directory: &Path) -> Result<Directory, Problem> {
        if let Some(known) = self.directories.get(directory) {
            return Ok(known.clone());
        }
        let path = directory.join("kukla.toml");
        let table = match read(world, &path)? {
            Some(text) => Some(Table::read(&ConfigFile::parse(&path, &text)?)?),
            None => None,
        };
        let editor = read(world, &directory.join(".editorconfig"))?.map(|text| EditorConfig::parse(&text));
        let found = Directory { table, editor };
        self.directories.insert(directory.to_owned(), found.clone());
        Ok(found)
    }
}

impl Table {
    fn read(file: &ConfigFile) -> Result<Table, Problem> {
        let mut table = Table::default();
        for entry in file.table("fmt")? {
            match entry.key.as_str() {
                "width" => table.width = Some(number(file, entry, 40..=1000)?),
                "indent" => table.indent = Some(number(file, entry, 1..=16)?),
                "arrows" => {
                    table.arrows = Some(choice(
                        file,
                        entry,
                        &[("aligned", Arrows::Aligned), ("single", Arrows::Single)],
                    )?);
                }
                "quotes" => {
                    table.quotes = Some(choice(
                        file,
                        entry,
                        &[("single", Quotes::Single), ("as-written", Quotes::AsWritten)],
                    )?);
                }
                key => {
                    let reason =
                        format!("unknown key `{key}`: [fmt] has `width`, `indent`, `arrows` and `quotes`");
                    return Err(file.invalid(entry, &reason));
                }
            }
        }
        Ok(table)
    }
}

fn number(
    file: &ConfigFile,
    entry: &ConfigEntry,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, Problem> {
    let value = entry.as_integer().and_then(|value| u32::try_from(value).ok());
    value.filter(|value| range.contains(value)).ok_or_else(|| {
        let reason = format!("`{}` requires a number from {} to {}", entry.key, range.start(), range.end());
        file.invalid(entry, &reason)
    })
}

fn choice<T: Copy>(file: &ConfigFile, entry: &ConfigEntry, choices: &[(&str, T)]) -> Result<T, Problem> {
    let found = choices.iter().find(|(name, _)| entry.as_str() == Some(name));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        file.invalid(entry, &format!("`{}` requires {}", entry.key, names.join(" or ")))
    })
}
