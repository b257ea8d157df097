//! JUnit XML, which CI servers show as a list of tests.

use std::fmt::Write;

use super::markup::escape;

/// One test: a node.
#[derive(Debug, Default)]
pub struct Case {
    /// The class that the test belongs to.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The message of its failure and the full text, if it failed.
    pub failure: Option<(String, String)>,
    /// Its output.
    pub out: String,
    /// Its warnings.
    pub err: String,
}

/// The document with one suite of tests.
pub fn document(suite: &str, cases: &[Case]) -> String {
    let (tests, failed) = (cases.len(), cases.iter().filter(|case| case.failure.is_some()).count());
    let counts = format!("tests=\"{tests}\" failures=\"{failed}\"");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{}\" {counts}>\n",
        escape(suite)
    );
    for Case { class, name, failure, out: output, err } in cases {
        let _ = writeln!(out, "    <testcase classname=\"{}\" name=\"{}\">", escape(class), escape(name));
        if let Some((first, all)) = failure {
            let _ = writeln!(out, "      <failure message=\"{}\">{}</failure>", escape(first), escape(all));
        }
        for (element, text) in [("system-out", output), ("system-err", err)] {
            if !text.is_empty() {
                let _ = writeln!(out, "      <{element}>{}</{element}>", escape(text));
            }
        }
        out += "    </testcase>\n";
    }
    out + "  </testsuite>\n</testsuites>\n"
}
