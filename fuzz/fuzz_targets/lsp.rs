#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| (kukla_tests::fuzz::target("lsp").run)(text));
