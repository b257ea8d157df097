//! Modules that Puppet does not use.

use kukla::syntax::{Source, Span, diagnostic};
use kukla::world::World;

use crate::finding::Finding;
use crate::repository::{HiddenModule, Survey};
use crate::rule::rules;

rules! {
    RULES;

    /// Two directories of the module path have a module of the same name. Puppet uses the one in the first directory and ignores the other one as a
    /// whole, so that nothing else is reported about it.
    ///
    /// Wrong:
    ///
    /// ```ini
    /// # environment.conf
    /// modulepath = site:modules
    /// ```
    ///
    /// ```puppet
    /// # site/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    ///
    /// ```puppet
    /// # modules/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    ///
    /// Right:
    ///
    /// ```ini
    /// # environment.conf
    /// modulepath = site:modules
    /// ```
    ///
    /// ```puppet
    /// # site/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    HIDDEN_MODULE = "hidden-module": Warning Always, "Puppet does not use this module: `{by}` precedes it on the module path";
}

/// A warning for each hidden module.
pub fn hidden(world: &dyn World, survey: &Survey) -> Vec<Finding> {
    survey.hidden.iter().map(|module| warning(world, survey, module)).collect()
}

fn warning(world: &dyn World, survey: &Survey, module: &HiddenModule) -> Finding {
    let paths = ["metadata.json", "manifests/init.pp"].map(|name| module.root.join(name));
    let path = paths.into_iter().find(|path| world.exists(path)).unwrap_or_else(|| module.root.clone());
    let text =
        world.read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let source = Source::new(path.to_string_lossy().as_ref(), text);
    let line = source.text().lines().find(|line| line.contains("\"name\"") || line.starts_with("class "));
    let at = line.and_then(|line| source.text().find(line)).unwrap_or(0);
    let length = line.map_or(0, |line| line.trim_end().len());
    let span = Span::new(u32::try_from(at).unwrap_or(0), u32::try_from(at + length).unwrap_or(0));
    let by = module.by.strip_prefix(&survey.root).unwrap_or(&module.by).display();
    Finding::from(diagnostic!(span, HIDDEN_MODULE { by }).in_source(&source))
}
