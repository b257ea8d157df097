//! Working code that is broken in one place, to see whether it is reported: what can be broken ([`mutation`]), which statement a place
//! belongs to ([`statement`]), and what the compiler and the checker say of it ([`bench`]).

pub mod bench;
pub mod mutation;
pub mod statement;
