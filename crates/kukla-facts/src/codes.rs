//! The codes of facts.

kukla_syntax::codes! {
    pub CODES;

    /// The facts that modules write in Ruby take more steps than they may, all together.
    FACT_LIMIT as EVALUATION_LIMIT: Error, "Facts take more steps than they may";
}
