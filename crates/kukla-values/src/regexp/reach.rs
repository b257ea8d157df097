//! How far the linear engine looks beyond what it finds.
//!
//! To find the `a` of `a.*z|a` it looks for a `z` as far as the subject goes, and again for the next `a`: all matches of a long subject take
//! the square of its length. The engine does not say how far it looked, so some searches are repeated one byte at a time, and those
//! count for the others.

use std::sync::OnceLock;

use regex_automata::Input;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson;
use regex_syntax::hir::Hir;

/// One search in this number is measured.
const SAMPLED: usize = 64;
/// Subjects of which less is left are not worth measuring.
const SHORT: usize = 4096;

/// The automaton that measures.
#[derive(Debug)]
pub(super) struct Reach {
    pattern: Box<Hir>,
    automaton: OnceLock<Option<DFA>>,
}

impl Reach {
    pub fn of(pattern: Hir) -> Reach {
        Reach { pattern: Box::new(pattern), automaton: OnceLock::new() }
    }

    /// How many bytes beyond `end` a search looked, and for how many searches that counts; `None` for those that are not measured.
    pub fn sample(&self, subject: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
        // The choice depends on the position only, so that the same program counts the same in every run.
        let is_chosen = (from as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 & (SAMPLED as u64 - 1) == 0;
        if subject.len() - end < SHORT || !is_chosen {
            return None;
        }
        let automaton = self.automaton.get_or_init(|| self.build()).as_ref()?;
        Some((measure(automaton, subject, from)?.saturating_sub(end), SAMPLED))
    }

    fn build(&self) -> Option<DFA> {
        let config = thompson::Config::new().nfa_size_limit(Some(1 << 20)).utf8(false);
        let nfa = thompson::Compiler::new().configure(config).build_from_hir(&self.pattern).ok()?;
        DFA::builder().build_from_nfa(nfa).ok()
    }
}

/// The position at which a search knows that it has the match, or that there is none.
fn measure(automaton: &DFA, subject: &[u8], from: usize) -> Option<usize> {
    let mut cache = automaton.create_cache();
    let input = Input::new(subject).span(from..subject.len());
    let mut state = automaton.start_state_forward(&mut cache, &input).ok()?;
    for (at, &byte) in subject.iter().enumerate().skip(from) {
        state = automaton.next_state(&mut cache, state, byte).ok()?;
        if state.is_dead() || state.is_quit() {
            return Some(at);
        }
    }
    Some(subject.len())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use crate::regexp::Regexp;
    use crate::{Budget, Limits, meter};

    fn steps_of(pattern: &str, subject: &str) -> bool {
        let budget = Rc::new(Budget::new(Limits { steps: 2_000_000, ..Limits::default() }));
        let regexp = Regexp::new(pattern).expect("a pattern");
        meter::metered(&budget, || regexp.find_iter(subject).count()).is_ok()
    }

    #[test]
    fn looking_far_for_each_match_is_counted() {
        let subject = "ab ".repeat(200_000);
        assert!(!steps_of("a.*z|a", &subject));
        assert!(!steps_of(r"a[^z]*?z|\s", &subject));
        for harmless in [r"\w+", r"[^ ]* ", "a", r"(\w)(\w)?\s*"] {
            assert!(steps_of(harmless, &subject), "{harmless}");
        }
    }
}
