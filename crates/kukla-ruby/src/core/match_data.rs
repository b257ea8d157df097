//! What a regular expression matched.

use crate::class::NativeClass;

/// The class `MatchData`.
pub const MATCH_DATA: NativeClass = NativeClass::class("MatchData", "Object");
