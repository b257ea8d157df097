//! Hierarchies.

use crate::rule::rules;

rules! {
    RULES;

    /// A `hiera.yaml` is refused by Puppet.
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

    /// A `hiera.yaml` has a key that means nothing.
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
    UNKNOWN_HIERA_KEY = "unknown-hiera-key": Error Always, "`{key}` means nothing in a hierarchy";

    /// A level of an environment's hierarchy names a file that is not there, for any node: the path has nothing in it that could be another.
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
