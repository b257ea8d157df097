//! JUnit XML, which CI servers show as a list of tests.

use std::fmt::Write;

use super::markup::escaped;

/// One test: a node.
#[derive(Debug, Default)]
pub struct Case {
    /// What it belongs to.
    pub class: String,
    /// Its name.
    pub name: String,
    /// If it failed, the first line of why, and all of it.
    pub failure: Option<(String, String)>,
    /// What else is to be read about it.
    pub out: String,
    /// What is to be read about it as a warning.
    pub err: String,
}

/// The document with one suite of tests.
pub fn document(suite: &str, cases: &[Case]) -> String {
    let (tests, failed) = (cases.len(), cases.iter().filter(|case| case.failure.is_some()).count());
    let counts = format!("tests=\"{tests}\" failures=\"{failed}\"");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{}\" {counts}>\n",
        escaped(suite)
    );
    for Case { class, name, failure, out: said, err } in cases {
        let _ = writeln!(out, "    <testcase classname=\"{}\" name=\"{}\">", escaped(class), escaped(name));
        if let Some((first, all)) = failure {
            let _ = writeln!(out, "      <failure message=\"{}\">{}</failure>", escaped(first), escaped(all));
        }
        for (element, text) in [("system-out", said), ("system-err", err)] {
            if !text.is_empty() {
                let _ = writeln!(out, "      <{element}>{}</{element}>", escaped(text));
            }
        }
        out += "    </testcase>\n";
    }
    out + "  </testsuite>\n</testsuites>\n"
}
