//! Where JSON goes: straight into text, or into a document.

use serde_json::{Map, Value as Json};

use crate::format::float_text;
use crate::json;

/// Takes JSON piece by piece, in order.
pub(super) trait Sink {
    fn null(&mut self);
    fn boolean(&mut self, flag: bool);
    fn integer(&mut self, number: i64);
    fn float(&mut self, number: f64);
    fn text(&mut self, text: &str);
    fn open_array(&mut self);
    fn close_array(&mut self);
    fn open_hash(&mut self);
    fn key(&mut self, key: &str);
    fn close_hash(&mut self);
}

/// Appends to a text.
pub(super) struct Text<'a> {
    out: &'a mut String,
    comma: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(out: &'a mut String) -> Text<'a> {
        Text { out, comma: false }
    }

    fn put(&mut self, text: &str) {
        if self.comma {
            self.out.push(',');
        }
        self.out.push_str(text);
        self.comma = true;
    }
}

impl Sink for Text<'_> {
    fn null(&mut self) {
        self.put("null");
    }
    fn boolean(&mut self, flag: bool) {
        self.put(if flag { "true" } else { "false" });
    }
    fn integer(&mut self, number: i64) {
        self.put(&number.to_string());
    }
    fn float(&mut self, number: f64) {
        self.put(&float_text(number));
    }
    fn text(&mut self, text: &str) {
        self.put("");
        json::string(self.out, text);
    }
    fn open_array(&mut self) {
        self.put("[");
        self.comma = false;
    }
    fn close_array(&mut self) {
        self.out.push(']');
        self.comma = true;
    }
    fn open_hash(&mut self) {
        self.put("{");
        self.comma = false;
    }
    fn key(&mut self, key: &str) {
        self.put("");
        json::string(self.out, key);
        self.out.push(':');
        self.comma = false;
    }
    fn close_hash(&mut self) {
        self.out.push('}');
        self.comma = true;
    }
}

/// Builds a document.
#[derive(Default)]
pub(super) struct Builder {
    open: Vec<(Json, Option<String>)>,
    done: Json,
}

impl Builder {
    pub(super) fn finish(self) -> Json {
        self.done
    }

    fn put(&mut self, json: Json) {
        match self.open.last_mut() {
            Some((Json::Array(values), _)) => values.push(json),
            Some((Json::Object(map), key)) => {
                map.insert(key.take().unwrap_or_default(), json);
            }
            _ => self.done = json,
        }
    }

    fn close(&mut self) {
        if let Some((json, _)) = self.open.pop() {
            self.put(json);
        }
    }
}

impl Sink for Builder {
    fn null(&mut self) {
        self.put(Json::Null);
    }
    fn boolean(&mut self, flag: bool) {
        self.put(flag.into());
    }
    fn integer(&mut self, number: i64) {
        self.put(number.into());
    }
    fn float(&mut self, number: f64) {
        self.put(number.into());
    }
    fn text(&mut self, text: &str) {
        self.put(text.into());
    }
    fn open_array(&mut self) {
        self.open.push((Json::Array(Vec::new()), None));
    }
    fn close_array(&mut self) {
        self.close();
    }
    fn open_hash(&mut self) {
        self.open.push((Json::Object(Map::new()), None));
    }
    fn key(&mut self, key: &str) {
        if let Some((_, next)) = self.open.last_mut() {
            *next = Some(key.to_owned());
        }
    }
    fn close_hash(&mut self) {
        self.close();
    }
}
