//! What modules need of each other.

use kukla::syntax::{Span, diagnostic};

use crate::rule::rules;
use crate::walk::Walk;

rules! {
    RULES;

    /// A module uses a class or a defined type of another one that its metadata.json does not name among its dependencies. Said once for each
    /// file; what is used under a condition may be meant to be optional.
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
    /// Says so if what is used belongs to a module that this one does not say it needs.
    pub fn check_dependency(&mut self, name: &str, span: Span) {
        let Some(own) = self.module.filter(|_| self.asks.strict) else { return };
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
