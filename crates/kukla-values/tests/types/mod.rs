//! The type system against its own laws, and against real Puppet.
//!
//! Types and values made by chance must obey the laws in `properties`. Then Kukla and Puppet are asked the same questions,
//! many thousands of them, and every difference is shown. `KUKLA_REFERENCE` names a command that, given the argument `rpc`,
//! answers as Puppet does; without it nothing is compared. `KUKLA_SEED` picks other questions, `KUKLA_ROUNDS`,
//! `KUKLA_MESSAGES` and `KUKLA_CONVERSIONS` more of them.

#![allow(clippy::disallowed_methods)] // a test asks the environment what to compare with

mod conversions;
mod explained;
mod generate;
mod properties;
mod reference;

use explained::Tally;
use generate::{Generator, Sample};
use kukla_values::types::{Type, mismatch};
use kukla_values::{Value, compare};
use reference::Reference;
use serde_json::Value as Json;

/// Questions answered by one request.
const BATCH: usize = 150;

/// Differences shown in full.
const SHOWN: usize = 60;

/// The text before the message of a function that failed.
const FAILED: &str = "Evaluation Error: Error while evaluating a Function Call, ";

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One question: the program text that asks it, and our own answer.
struct Question {
    about: &'static str,
    program: String,
    ours: Json,
}

#[test]
fn obeys_its_laws_and_answers_as_puppet() {
    properties::check(setting("KUKLA_SEED", 1), setting("KUKLA_ROUNDS", 1500));
    let Ok(command) = std::env::var("KUKLA_REFERENCE") else {
        let absent = "KUKLA_REFERENCE does not name a command that answers as Puppet does";
        return kukla_testing::skip("kukla-values/types", absent);
    };
    let mut generator = Generator::new(setting("KUKLA_SEED", 1));
    let questions = questions(&mut generator, setting("KUKLA_ROUNDS", 1500));
    let messages = messages(&mut generator, setting("KUKLA_MESSAGES", 1000));
    let mut reference = Reference::start(&command);
    let mut differences = 0;
    let mut tally = Tally::default();
    let mut show = |question: &Question, theirs: &str| {
        if tally.explains(&question.program, &question.ours.to_string(), theirs) {
            return;
        }
        differences += 1;
        if differences <= SHOWN {
            println!(
                "{}: {}\n  ours   {}\n  theirs {theirs}",
                question.about, question.program, question.ours
            );
        }
    };
    for batch in questions.chunks(BATCH) {
        let program = batch.iter().map(|q| q.program.as_str()).collect::<Vec<_>>().join(",\n");
        match reference.eval(&format!("[{program}]"), generate::PRELUDE) {
            Ok(Json::Array(theirs)) => {
                for (question, theirs) in batch.iter().zip(theirs) {
                    // Some of Puppet's rules answer with nothing for no, or with something for yes.
                    let theirs = match (&question.ours, theirs) {
                        (Json::Bool(_), Json::Null) => Json::Bool(false),
                        (Json::Bool(_), Json::String(_)) => Json::Bool(true),
                        (_, theirs) => theirs,
                    };
                    if question.ours != theirs {
                        show(question, &theirs.to_string());
                    }
                }
            }
            // One of them cannot be answered at all: ask one by one.
            _ => {
                for question in batch {
                    match reference.eval(&format!("[{}][0]", question.program), generate::PRELUDE) {
                        Ok(theirs) if theirs == question.ours => {}
                        Ok(theirs) => show(question, &theirs.to_string()),
                        Err(error) => show(question, &format!("error: {error}")),
                    }
                }
            }
        }
    }
    for question in &messages {
        let theirs = match reference.eval(&question.program, generate::PRELUDE) {
            Ok(_) => Json::Null,
            Err(error) => Json::from(error.strip_prefix(FAILED).unwrap_or(&error)),
        };
        if theirs != question.ours {
            show(question, &theirs.to_string());
        }
    }
    let rounds = setting("KUKLA_CONVERSIONS", 400);
    let (converted, wrong) = conversions::ask(&mut reference, &mut generator, rounds, SHOWN, &mut tally);
    differences += wrong;
    let asked = questions.len() + messages.len() + converted;
    tally.print();
    println!("{asked} questions, {differences} differences without a reason");
    assert_eq!(differences, 0, "some questions are answered unlike Puppet");
}

fn questions(generator: &mut Generator, rounds: u64) -> Vec<Question> {
    let mut all = Vec::new();
    let mut ask = |about, program, ours| all.push(Question { about, program, ours });
    for _ in 0..rounds {
        let wide = generator.ty();
        let narrow = generator.ty();
        let (a, b) = (wide.text.as_str(), narrow.text.as_str());
        ask("assignability", format!("{a} >= {b}"), wide.value.covers(&narrow.value).into());
        ask("assignability", format!("{b} >= {a}"), narrow.value.covers(&wide.value).into());
        ask("equality", format!("{a} == {b}"), wide.value.same_set(&narrow.value).into());
        ask("equality", format!("{a} == {a}"), wide.value.same_set(&wide.value).into());
        let union =
            Type::of_reduced(&vec![Value::from(wide.value.clone()), narrow.value.clone().into()].into());
        ask("union", format!("\"${{type([{a}, {b}], reduced)}}\""), union.to_string().into());
        ask("printing", format!("\"${{{a}}}\""), wide.value.to_string().into());
        ask("printing", format!("\"${{Array[{a}]}}\""), Type::array(wide.value.clone()).to_string().into());
        ask(
            "general",
            format!("\"${{type({a}, generalized)}}\""),
            Type::of_generalized(&wide.value.clone().into()).to_string().into(),
        );

        let value = generator.value();
        let v = value.text.as_str();
        ask("membership", format!("{v} =~ {a}"), wide.value.contains(&value.value).into());
        let near = generator.near(&value);
        ask("membership", format!("{v} =~ {}", near.text), near.value.contains(&value.value).into());
        ask(
            "assignability",
            format!("{} >= type({v})", near.text),
            near.value.covers(&Type::of(&value.value)).into(),
        );
        ask("inference", format!("\"${{type({v})}}\""), Type::of(&value.value).to_string().into());
        ask(
            "inference",
            format!("\"${{type({v}, reduced)}}\""),
            Type::of_reduced(&value.value).to_string().into(),
        );
        ask(
            "inference",
            format!("\"${{type({v}, generalized)}}\""),
            Type::of_generalized(&value.value).to_string().into(),
        );
        let other = generator.value();
        let o = other.text.as_str();
        ask("equal values", format!("{v} == {o}"), compare::equals(&value.value, &other.value).into());
        ask(
            "inclusion",
            format!("{v} in {o}"),
            compare::includes(&other.value, &value.value).is_some().into(),
        );
        let pair = vec![value.value.clone(), other.value.clone()].into();
        ask(
            "union",
            format!("\"${{type([{v}, {o}], reduced)}}\""),
            Type::of_reduced(&pair).to_string().into(),
        );
    }
    all
}

/// The message when a value is not of a type.
fn messages(generator: &mut Generator, rounds: u64) -> Vec<Question> {
    let mut all = Vec::new();
    for _ in 0..rounds {
        let value: Sample<Value> = generator.value();
        let ty = if generator.chance(2) { generator.ty() } else { generator.near(&value) };
        let ours = match ty.value.contains(&value.value) {
            true => Json::Null,
            false => mismatch::describe_value("assert_type():", &ty.value, &value.value).into(),
        };
        let program = format!("assert_type({}, {})", ty.text, value.text);
        all.push(Question { about: "message", program, ours });
    }
    all
}
