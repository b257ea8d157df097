//! Dependencies of modules.

use kukla::syntax::{Span, diagnostic};

use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// A module uses a class or a defined type of another module that is missing from the dependencies in its metadata.json. The rule reports
    /// each module once per file, and skips uses under a condition, since such a dependency may be optional.
    ///
    /// Wrong:
    ///
    /// ```json
    /// # modules/web/metadata.json
    /// { "name": "me-web", "version": "1.0.0", "dependencies": [] }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { include ntp }
    /// ```
    ///
    /// ```puppet
    /// # modules/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    ///
    /// Right:
    ///
    /// ```json
    /// # modules/web/metadata.json
    /// { "name": "me-web", "version": "1.0.0", "dependencies": [{ "name": "me-ntp" }] }
    /// ```
    ///
    /// ```puppet
    /// # modules/web/manifests/init.pp
    /// class web { include ntp }
    /// ```
    ///
    /// ```puppet
    /// # modules/ntp/manifests/init.pp
    /// class ntp { }
    /// ```
    MISSING_DEPENDENCY = "missing-dependency": Warning Strict, "metadata.json of `{module}` does not name `{needed}` among its dependencies";
}

impl Walk<'_> {
    /// Reports the use of a module that is missing from the dependencies.
    pub fn check_dependency(&mut self, name: &str, span: Span) {
        let Some(own) = self.module.filter(|_| self.selection.strict) else { return };
        let needed = name.split("::").next().unwrap_or(name);
        if needed == own || !self.index.has_module(needed) {
            return;
        }
        let Some(module) = self.index.survey.module(own).filter(|module| module.metadata.is_some()) else {
            return;
        };
        let is_known = module.dependencies().iter().any(|known| known == needed);
        let is_said = self.findings.iter().any(|found| {
            found.diagnostic.is(&MISSING_DEPENDENCY) && found.diagnostic.fact("needed") == Some(needed)
        });
        if !is_known && !is_said {
            self.report(diagnostic!(span, MISSING_DEPENDENCY { module: own, needed }));
        }
    }
}
