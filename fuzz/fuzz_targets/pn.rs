//! PN survives being written and read.
#![no_main]

use kukla_syntax::pn::Pn;
use kukla_syntax::{Source, parse, parse_epp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::unnamed(text);
    for parsed in [parse(&source), parse_epp(&source)] {
        let pn = Pn::of(&parsed.tree);
        assert_eq!(Pn::read(&pn.to_text()).as_ref(), Ok(&pn));
        assert_eq!(Pn::read(&pn.to_pretty_text()).as_ref(), Ok(&pn));
    }
});
