//! The linter.

use kukla::lint::fix::{Limits, fix};
use kukla::lint::{Manifest, Settings, lint as lint_text, rules};
use kukla::syntax::{Source, parse, roomy};

/// Every finding lies in the text; fixes come to an end, and what parses before them parses after them.
pub(super) fn lint(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let settings = Settings::default();
    for path in ["m/manifests/a.pp", "data/a.yaml"] {
        let linted = lint_text(&Manifest::new(&text, path, path), rules::all(), &settings);
        for finding in linted.findings {
            let (start, end) = (finding.start as usize, finding.end as usize);
            assert!(finding.line > 0 && finding.column > 0, "{finding:?} in {text:?}");
            assert!(start <= end && end <= text.len(), "{finding:?} in {text:?}");
            for edit in finding.fix {
                assert!(
                    text.get(edit.start..edit.end).is_some(),
                    "{edit:?} of {} in {text:?}",
                    finding.code.name
                );
            }
        }
        let fixed = fix(&text, path, path, rules::all(), &settings, Limits::default());
        assert!(!parses(&text) || parses(&fixed.text), "fixing {text:?} makes {:?}", fixed.text);
    }
}

fn parses(text: &str) -> bool {
    roomy(|| parse(&Source::unnamed(text)).is_ok())
}
