//! The Puppet language's text, tokens, lossless tree, typed AST, validation and PN.
