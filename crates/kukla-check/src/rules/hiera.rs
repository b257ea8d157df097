//! Hierarchies.

use crate::rule::rules;

rules! {
    RULES;

    /// Puppet refuses a `hiera.yaml`.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    ///     glob: "*.yaml"
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// ```
    HIERA_CONFIG = "hiera-config": Error Always, "{problem}";

    /// A `hiera.yaml` has an unknown key.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     pth: common.yaml
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// ```
    UNKNOWN_HIERA_KEY = "unknown-hiera-key": Error Always, "Unknown key `{key}` in a hierarchy";

    /// A level of an environment's hierarchy names a file that does not exist, and whose name is a typo of one that does. The path has no
    /// interpolations, so it is missing for every node. Other missing files are not reported: they may be put in place when the repository is
    /// deployed.
    ///
    /// Wrong:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: comon.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// ```
    ///
    /// Right:
    ///
    /// ```yaml
    /// # hiera.yaml
    /// version: 5
    /// hierarchy:
    ///   - name: Common
    ///     path: common.yaml
    /// ```
    ///
    /// ```yaml
    /// # data/common.yaml
    /// ```
    HIERA_PATH_WITHOUT_FILE = "hiera-path-without-file": Warning Always, "There is no data file `{path}`";
}
