//! The function reference: the examples in the documentation of built-in functions are sections of the book.

use kukla::eval::registry::FunctionOrigin;

use kukla_test::chapters::read::{self, Section};

/// A version of stdlib that still had the functions that are gone now.
const OLD_STDLIB: &str = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0"}"#;

/// Functions whose examples real Puppet does not fulfil, and why.
const DIFFERS: [(&str, &str); 4] = [
    ("is_a", "Puppet has it in stdlib only"),
    ("puppetdb_query", "Puppet has it with PuppetDB only"),
    ("scanf", "Puppet needs a library that may not be installed"),
    ("type_of", "Puppet has it in stdlib only"),
];

/// A section for each built-in function whose documentation has an example.
pub fn sections() -> Result<Vec<(String, Section)>, String> {
    let registry = kukla::registry();
    let mut all = Vec::new();
    for name in registry.names() {
        let Some(function) = registry.get(name) else { continue };
        let name = function.builtin.name;
        let origin = match function.origin {
            FunctionOrigin::Core => "core",
            FunctionOrigin::Beside => "beside",
            FunctionOrigin::Stdlib | FunctionOrigin::FormerStdlib | FunctionOrigin::LaterStdlib => "stdlib",
        };
        let lines: Vec<&str> =
            function.builtin.doc.lines().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        let text = format!("# {name}\n\n{}\n", lines.join("\n"));
        let place = format!("doc/{origin}/{}", name.replace("::", "-"));
        let mut sections = read::read(&place, &text).map_err(|m| format!("{place}: {}", m.problem))?;
        if function.origin == FunctionOrigin::FormerStdlib {
            for section in &mut sections {
                section.files.push(("modules/stdlib/metadata.json".into(), OLD_STDLIB.into()));
            }
        }
        if let Some((_, why)) = DIFFERS.iter().find(|(function, _)| *function == name) {
            for block in sections.iter_mut().flat_map(|section| &mut section.blocks) {
                block.marks.differs = Some((*why).into());
            }
        }
        all.extend(sections.into_iter().map(|section| (format!("the documentation of {name}"), section)));
    }
    Ok(all)
}
