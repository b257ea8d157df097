//! The options of a site.

use std::path::PathBuf;

use kukla_eval::environment::OwnModule;
use kukla_eval::settings::Settings;

use crate::control::BASE_MODULEPATH;

/// The options of a site, apart from the contents of its files.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteSpec {
    /// The environment's name.
    pub environment: String,
    /// The directory of environments.
    pub environmentpath: Option<PathBuf>,
    /// The environment's directory, where it is not one of `environmentpath`.
    pub environment_root: Option<PathBuf>,
    /// The value of `$basemodulepath` in `environment.conf`.
    pub basemodulepath: String,
    /// Directories of modules; by default those of `environment.conf`.
    pub modulepath: Option<Vec<PathBuf>>,
    /// The module that is being developed, if it is not in the module path.
    pub own_module: Option<OwnModule>,
    /// A manifest file, or a directory of them; by default that of `environment.conf`.
    pub manifest: Option<PathBuf>,
    /// Text to use as the site manifest, in place of `manifest`.
    pub code: Option<String>,
    /// Text that [`Site::eval`](crate::Site::eval) compiles to completion before `code` is evaluated in its top scope.
    pub prelude: Option<String>,
    /// The global layer's `hiera.yaml`.
    pub hiera_config: Option<PathBuf>,
    /// Settings, Puppet's defaults unless changed.
    pub settings: Settings,
}

impl Default for SiteSpec {
    fn default() -> SiteSpec {
        SiteSpec {
            environment: "production".into(),
            environmentpath: None,
            environment_root: None,
            basemodulepath: BASE_MODULEPATH.into(),
            modulepath: None,
            own_module: None,
            manifest: None,
            code: None,
            prelude: None,
            hiera_config: None,
            settings: Settings::default(),
        }
    }
}

impl SiteSpec {
    /// The site whose environment lies in this directory.
    pub fn at(root: impl Into<PathBuf>) -> SiteSpec {
        SiteSpec { environment_root: Some(root.into()), ..SiteSpec::default() }
    }

    /// A site with this manifest and nothing else.
    pub fn of(code: impl Into<String>) -> SiteSpec {
        SiteSpec { code: Some(code.into()), ..SiteSpec::default() }
    }

    /// The environment's directory, if it has one.
    pub fn root(&self) -> Option<PathBuf> {
        let in_path = || self.environmentpath.as_ref().map(|path| path.join(&self.environment));
        self.environment_root.clone().or_else(in_path)
    }
}
