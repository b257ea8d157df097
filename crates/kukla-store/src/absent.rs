//! Stores of a build without the feature `drivers`: there is no database to talk to.

use std::sync::Arc;

use kukla_syntax::diagnostic;

use crate::codes::STORE_UNREACHABLE;
use crate::url::without_password;
use crate::{Options, Result, Store};

/// Refuses every URL: this build lacks the feature.
pub fn open(url: &str, _options: &Options) -> Result<Arc<dyn Store>> {
    let problem = "this build of kukla has no databases";
    let refused = diagnostic!(STORE_UNREACHABLE { url: without_password(url), problem });
    Err(refused.hint("build it with the feature `store`").into())
}
