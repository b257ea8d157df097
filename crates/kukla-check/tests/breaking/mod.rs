//! Breaks working code in one place, to see whether that is reported: the mutations ([`mutation`]), the statements of a text
//! ([`statement`]), and the results of the compiler and the checker ([`bench`]).

pub mod bench;
pub mod mutation;
pub mod statement;
