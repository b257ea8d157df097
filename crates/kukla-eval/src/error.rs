//! Why an evaluation stopped before its end.

/// Why an evaluation stopped before its end.
#[derive(Debug)]
pub enum Raise {
    /// Something is wrong.
    Error(Box<kukla_values::Error>),
}

/// The result of evaluating something.
pub type Flow<T> = Result<T, Raise>;

impl From<kukla_values::Error> for Raise {
    fn from(error: kukla_values::Error) -> Raise {
        Raise::Error(Box::new(error))
    }
}
