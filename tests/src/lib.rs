//! The conformance book runner.
