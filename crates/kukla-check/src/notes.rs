//! Notes on the parts of a repository that are not checked.

use crate::data::Data;
use crate::repository::Survey;

/// Notes on modules that are not here, or not reported.
pub fn of_modules(survey: &Survey, all_modules: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let missing = &survey.not_installed;
    if !missing.is_empty() {
        let names = missing.join(", ");
        notes.push(format!(
            "{} in the Puppetfile but not installed, so names of theirs are not checked (`kukla mod sync` installs them): {names}",
            if missing.len() == 1 {
                "one module is".to_owned()
            } else {
                format!("{} modules are", missing.len())
            },
        ));
    }
    let is_submodule = |name: &str| survey.submodules.iter().any(|path| path.ends_with(name));
    let empty: Vec<String> =
        survey.empty.iter().filter(|name| !is_submodule(name)).map(|name| format!("`{name}`")).collect();
    match &empty[..] {
        [] => {}
        [name] => {
            notes.push(format!("the directory of the module {name} is empty, so its names are not checked"))
        }
        names => notes.push(format!(
            "the directories of {} modules are empty, so their names are not checked: {}",
            names.len(),
            names.join(", ")
        )),
    }
    let submodules: Vec<String> = survey
        .submodules
        .iter()
        .map(|path| format!("`{}`", path.strip_prefix(&survey.root).unwrap_or(path).display()))
        .collect();
    match &submodules[..] {
        [] => {}
        [path] => notes.push(format!(
            "the submodule {path} is not checked out, so its names and files are not checked"
        )),
        paths => notes.push(format!(
            "{} submodules are not checked out, so their names and files are not checked (`git submodule update --init`): {}",
            paths.len(),
            paths.join(", ")
        )),
    }
    for directory in &survey.outside {
        notes.push(format!(
            "the directory `{directory}` of the module path does not exist here, so names of its modules are not checked"
        ));
    }
    let third_party = survey.modules.iter().filter(|module| module.is_third_party).count();
    if third_party > 0 && !all_modules {
        let (modules, are) = if third_party == 1 { ("module", "is") } else { ("modules", "are") };
        notes.push(format!(
            "{third_party} third-party {modules} {are} read but not reported; --all-modules reports them"
        ));
    }
    notes
}

/// Notes on data that is not checked.
pub fn of_data(data: &Data, survey: &Survey) -> Vec<String> {
    let own = data.hierarchies.iter().filter(|hierarchy| hierarchy.root == survey.root);
    let mut unread: Vec<&String> = own.flat_map(|hierarchy| &hierarchy.unread).collect();
    unread.sort();
    unread.dedup();
    let note = |directory: &String| {
        format!("the data in `{directory}` is not checked, because it is not a directory of this repository")
    };
    unread.into_iter().map(note).collect()
}
