//! The guarantees over directories of code: `KUKLA_FORMAT_CORPUS=dir:dir cargo test -p kukla-format --test all corpus`.
