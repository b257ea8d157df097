//! Changes on disk between two compilations, and whether the process notices them.

use kukla::Compiler;

use crate::common::Site;

/// The messages of the catalog of a node, or the error.
fn messages(compiler: &Compiler, site: &Site) -> Result<Vec<String>, String> {
    let catalog = site.compile(compiler, "web", "any").result.map_err(|failure| failure.puppet_message())?;
    let notify = catalog.resources.iter().filter(|resource| &*resource.type_name == "Notify");
    Ok(notify.map(|resource| resource.title.to_string()).collect())
}

#[test]
fn changed_new_and_removed_files_are_noticed() {
    let site = Site::new("changes", &[("manifests/site.pp", "include app")]);
    let compiler = Compiler::default();
    assert!(messages(&compiler, &site).is_err());
    site.put("modules/app/manifests/init.pp", "class app { notify { 'one': } }");
    assert_eq!(messages(&compiler, &site), Ok(vec!["one".into()]));
    site.put("modules/app/manifests/init.pp", "class app { notify { 'second': } }");
    assert_eq!(messages(&compiler, &site), Ok(vec!["second".into()]));
    site.remove("modules/app/manifests/init.pp");
    assert!(messages(&compiler, &site).is_err());
}

#[test]
fn an_environment_without_a_timeout_is_never_looked_at_again() {
    let conf = ("environment.conf", "environment_timeout = unlimited");
    let site = Site::new("timeout", &[conf, ("manifests/site.pp", "notify { 'one': }")]);
    let compiler = Compiler::default();
    assert_eq!(messages(&compiler, &site), Ok(vec!["one".into()]));
    site.put("manifests/site.pp", "notify { 'second': }");
    assert_eq!(messages(&compiler, &site), Ok(vec!["one".into()]));
    assert_eq!(messages(&Compiler::default(), &site), Ok(vec!["second".into()]));
}
