//! Tasks, by their metadata.

use super::Reference;
use super::docstring::Docstring;
use super::entry::{Literal, Origin, Task};
use super::tag::Tag;

/// Reads the metadata of a task. Text that is not a JSON object is ignored.
pub fn read(file: &str, text: &str, reference: &mut Reference) {
    let Ok(serde_json::Value::Object(metadata)) = serde_json::from_str::<serde_json::Value>(text) else {
        return;
    };
    if metadata.is_empty() {
        return;
    }
    let name = file.rsplit('/').next().unwrap_or(file).replace(".json", "");
    let description = metadata.get("description").and_then(|text| text.as_str()).unwrap_or_default();
    let mut docstring = Docstring::read(description, 1);
    let parameters = metadata.get("parameters").and_then(|parameters| parameters.as_object());
    docstring.tags = parameters.into_iter().flatten().map(|(name, about)| parameter(name, about)).collect();
    let value = |key: &str| metadata.get(key).map(literal).unwrap_or_default();
    let supports_noop = match value("supports_noop") {
        Literal::Nil => Literal::Boolean(false),
        other => other,
    };
    reference.tasks.push(Task {
        name,
        origin: Origin { file: file.to_owned(), ..Origin::default() },
        docstring,
        supports_noop,
        input_method: value("input_method"),
        source: text.to_owned(),
    });
}

fn parameter(name: &str, about: &serde_json::Value) -> Tag {
    let text = |key: &str| about.get(key).and_then(|text| text.as_str()).map(str::to_owned);
    Tag {
        name: "param".into(),
        text: Some(text("description").unwrap_or_default()),
        types: Some(vec![text("type")]),
        subject: Some(name.into()),
        ..Tag::default()
    }
}

fn literal(value: &serde_json::Value) -> Literal {
    match value {
        serde_json::Value::Null => Literal::Nil,
        serde_json::Value::Bool(value) => Literal::Boolean(*value),
        serde_json::Value::Number(number) => Literal::Number(number.to_string()),
        serde_json::Value::String(text) => Literal::Text(text.clone()),
        serde_json::Value::Array(all) => Literal::Array(all.iter().map(literal).collect()),
        serde_json::Value::Object(entries) => Literal::Hash(
            entries.iter().map(|(key, value)| (Literal::Text(key.clone()), literal(value))).collect(),
        ),
    }
}
