//! Puppet's values, its type system and the rules between them.
