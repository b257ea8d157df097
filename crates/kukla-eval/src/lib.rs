//! Programs, scopes, the evaluator and the catalog builder.
