//! The tokens of the tree, put together, are the text.
#![no_main]

use kukla_syntax::{Source, parse, parse_epp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::unnamed(text);
    for parsed in [parse(&source), parse_epp(&source)] {
        let tokens = parsed.tree.elements().filter(|element| element.kind().is_token());
        assert_eq!(tokens.map(|token| token.text()).collect::<String>(), text);
    }
});
