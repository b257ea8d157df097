//! `binding` and `eval`.

use crate::class::{Native, private};
use crate::core::binding;

/// Functions that look at the variables of the code that calls them.
pub const FUNCTIONS: &[Native] = &[
    private("binding", 0, 0, |ruby, _, _| Ok(binding::of_caller(ruby))),
    private("eval", 1, 4, |ruby, _, args| {
        let binding = match args.get(1) {
            Some(crate::Value::Nil) | None => binding::of_caller(ruby),
            Some(binding) => binding.clone(),
        };
        binding::evaluate(ruby, &binding, &args[0], args.get(2), args.get(3))
    }),
    private("local_variables", 0, 0, |ruby, _, _| {
        let binding = binding::of_caller(ruby);
        binding::local_variables(ruby, &binding)
    }),
];
