//! Regular expressions against chance, and against Ruby.
//!
//! No pattern may bring the engine down, whatever its bytes; and where `ruby` is at hand, both are asked the same questions: where a
//! pattern made by chance matches, what its groups hold, or why it is refused. `KUKLA_SEED` picks other questions, `KUKLA_ROUNDS`
//! more of them.

#![allow(clippy::disallowed_methods)] // a test asks the environment what to compare

mod explained;
mod generate;
mod ruby;

use generate::{Chance, Question};
use kukla_values::regexp::{Direction, Encoding, Regexp};

/// Differences shown in full.
const SHOWN: usize = 30;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Our answer, in the words of `ruby::ANSWERS`.
fn answer(question: &Question) -> String {
    let regexp = match Regexp::from_bytes(&question.pattern, question.options, question.encoding) {
        Ok(regexp) => regexp,
        Err(error) => return refusal(&error.message()),
    };
    match regexp.search(&question.subject, question.position, question.encoding, question.direction) {
        Ok(None) => "none".to_owned(),
        Ok(Some(spans)) => {
            let place = |span: &Option<(usize, usize)>| match span {
                Some((start, end)) => format!("{start}..{end}"),
                None => "-".to_owned(),
            };
            spans.iter().map(place).collect::<Vec<_>>().join(" ")
        }
        Err(error) if error.message().contains("it takes too m") => "stopped".to_owned(),
        Err(error) => refusal(&error.message()),
    }
}

fn refusal(message: &str) -> String {
    format!("refused: {}", message.split(": /").next().unwrap_or_default().replace('\n', " "))
}

/// Mutated patterns and plain noise, over text and over bytes, in all directions.
#[test]
fn any_bytes_are_a_pattern_or_refused() {
    let mut chance = Chance::new(setting("KUKLA_SEED", 1));
    for _ in 0..3000 {
        let mut question = generate::question(&mut chance);
        for _ in 0..chance.below(6) {
            let noise = chance.below(256) as u8;
            match chance.below(3) {
                0 => question.pattern.insert(chance.below(question.pattern.len() + 1), noise),
                1 if !question.pattern.is_empty() => {
                    let at = chance.below(question.pattern.len());
                    question.pattern[at] = noise;
                }
                _ => question.pattern.truncate(chance.below(question.pattern.len() + 1)),
            }
        }
        for encoding in [Encoding::Utf8, Encoding::Binary] {
            let Ok(regexp) = Regexp::from_bytes(&question.pattern, question.options, encoding) else {
                continue;
            };
            for subject in [&question.subject[..], b"a\xff\xc3b", "ß\u{301}日".as_bytes()] {
                for direction in [Direction::Forward, Direction::Here, Direction::Backward] {
                    let position = question.position.min(subject.len());
                    if let Ok(Some(spans)) = regexp.search(subject, position, encoding, direction) {
                        assert!(
                            spans.iter().flatten().all(|(start, end)| start <= end && *end <= subject.len())
                        );
                        assert_eq!(spans.len(), regexp.groups() + 1);
                    }
                }
            }
        }
    }
}

#[test]
fn matches_as_in_ruby() {
    let (seed, rounds) = (setting("KUKLA_SEED", 1), setting("KUKLA_ROUNDS", 1500));
    let mut chance = Chance::new(seed);
    let questions: Vec<Question> = (0..rounds).map(|_| generate::question(&mut chance)).collect();
    let Some(theirs) = ruby::answers(&questions) else {
        return kukla_testing::skip("kukla-values/regexp", "no ruby");
    };
    assert_eq!(theirs.len(), questions.len(), "ruby did not answer all questions");
    let (mut differences, mut explained) = (0, 0);
    for (question, theirs) in questions.iter().zip(&theirs) {
        let ours = answer(question);
        if ours == *theirs {
            continue;
        }
        if explained::is_explained(question, &ours, theirs) {
            explained += 1;
            continue;
        }
        differences += 1;
        if differences <= SHOWN {
            println!("{question}\n    ruby: {theirs}\n    ours: {ours}");
        }
    }
    println!("{rounds} questions, {differences} differences, {explained} explained");
    assert_eq!(differences, 0);
}
