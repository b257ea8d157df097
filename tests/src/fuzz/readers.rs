//! The readers of text from outside.

use std::sync::LazyLock;

use kukla::catalog::Catalog;
use kukla::facts::FactFile;
use kukla::formats::{eyaml, hocon, json as json_format, yaml as yaml_format};
use kukla::rpc::Server;
use kukla::syntax::ast::{Expr, Segment};
use kukla::syntax::pn::Pn;
use kukla::syntax::validate::{Rules, check};
use kukla::syntax::{Source, parse as parse_manifest, parse_epp};
use kukla::values::regexp::Regexp;
use kukla::values::semver::{Version, VersionRange};
use kukla::values::time::{Timespan, Timestamp};
use kukla::values::uri::Uri;
use kukla::values::{Type, Value, format};
use kukla::{Compiler, MemoryWorld, Node, SiteSpec};

fn text(data: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// The lexer, the parser for manifests and templates, validation, and every view of the tree.
pub(super) fn parse(data: &[u8]) {
    let text = text(data);
    let source = Source::unnamed(&*text);
    for parsed in [parse_manifest(&source), parse_epp(&source)] {
        let tokens = parsed.tree.elements().filter(|element| element.kind().is_token());
        assert_eq!(tokens.map(|token| token.text()).collect::<String>(), *text);
        for diagnostic in &check(&source, &parsed, &Rules::default()) {
            source.line_column(diagnostic.span().point);
        }
        for expr in parsed.tree.elements().filter_map(Expr::cast) {
            expr.puppet_offset();
            match expr {
                Expr::String(string) => drop(string.value()),
                Expr::Interpolated(string) => drop(string.segments().collect::<Vec<Segment<'_>>>()),
                Expr::Heredoc(heredoc) => drop(heredoc.segments().collect::<Vec<Segment<'_>>>()),
                Expr::RenderText(text) => drop(text.value()),
                _ => {}
            }
        }
        let pn = Pn::of(&parsed.tree);
        assert_eq!(Pn::read(&pn.to_text()).as_ref(), Ok(&pn));
    }
}

/// Puppet's notation for trees.
pub(super) fn pn(data: &[u8]) {
    if let Ok(pn) = Pn::read(&text(data)) {
        assert_eq!(Pn::read(&pn.to_pretty_text()).as_ref(), Ok(&pn));
    }
}

/// YAML, for its values and for its lines; what is written again is read again.
pub(super) fn yaml(data: &[u8]) {
    if let Ok(document) = yaml_format::read(data, yaml_format::Options::HIERA)
        && let Ok(written) = yaml_format::emit(&document.value)
    {
        drop(yaml_format::read(written.as_bytes(), yaml_format::Options::HIERA));
    }
    drop(yaml_format::lines(data));
}

/// JSON.
pub(super) fn json(data: &[u8]) {
    drop(json_format::read(&text(data)));
}

/// HOCON, references included.
pub(super) fn hocon(data: &[u8]) {
    drop(hocon::read(&text(data), &|name| Ok((name == "HOME").then(|| "/root".into()))));
}

/// Encrypted pieces of data, opened with a key, and keys.
pub(super) fn eyaml(data: &[u8]) {
    let text = text(data);
    let pieces = eyaml::pieces(&text);
    assert!(!pieces.is_empty() || text.is_empty());
    drop(eyaml::Key::from_pem(&text));
    static KEY: LazyLock<eyaml::Key> =
        LazyLock::new(|| eyaml::Key::from_pem(super::seeds::KEY).expect("a key"));
    for piece in pieces {
        if let eyaml::Piece::Encrypted(_, block) = piece {
            drop(KEY.open(block));
        }
    }
}

/// Regular expressions, translated and tried.
pub(super) fn regexp(data: &[u8]) {
    if let Ok(regexp) = Regexp::new(&text(data)) {
        for subject in ["", "a", "foo bar 12 ab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "straße\nzwei"] {
            drop(regexp.captures(subject));
            drop(regexp.split(subject));
            drop(regexp.replace_all(subject, r"<\0\1\k<a>>"));
        }
    }
}

/// Formats of `sprintf` and of `String.new`.
pub(super) fn sprintf(data: &[u8]) {
    let form = text(data);
    let values = [Value::from("x"), Value::Integer(-12), Value::Float(1e300), Value::Float(-0.05)];
    drop(format::sprintf(&form, &values));
    drop(format::sprintf(&form, &[Value::Hash([("a", 1_i64)].into_iter().collect())]));
    for value in values {
        let args = [value, Value::from(&*form)];
        drop(kukla::values::convert::new_instance(
            &Type::STRING,
            &args,
            &kukla::values::convert::EmptyContext,
        ));
    }
}

/// Formats of times, written and read.
pub(super) fn strftime(data: &[u8]) {
    let form = text(data);
    let stamp = Timestamp::from_seconds(1_000_000_000);
    if let Ok(written) = stamp.format(&form, None) {
        drop(Timestamp::parse_with(&written, &form, None));
    }
    if let Ok(written) = Timespan::from_seconds(-100_000).format(&form) {
        drop(Timespan::parse_with(&written, &form));
    }
    drop(stamp.format("%F", Some(&form)));
    drop(Timestamp::parse(&form, None));
}

/// Versions and their ranges.
pub(super) fn semver(data: &[u8]) {
    let text = text(data);
    let version = Version::parse(&text);
    if let (Ok(range), Ok(version)) = (VersionRange::parse(&text), version) {
        drop((range.to_string(), version.to_string()));
    }
    kukla::values::semver::versioncmp(&text, "1.2.3-rc1", false);
}

/// Resource identifiers.
pub(super) fn uri(data: &[u8]) {
    if let Ok(uri) = Uri::parse(&text(data)) {
        drop(uri.to_string());
    }
}

/// Lengths of time.
pub(super) fn timespan(data: &[u8]) {
    drop(Timespan::parse(&text(data)));
}

/// Types in text; what is written is read again as the same.
pub(super) fn types(data: &[u8]) {
    if let Ok(ty) = Type::parse(&text(data)) {
        let (written, general) = (ty.to_string(), ty.generalized());
        drop((
            Type::parse(&written),
            ty.covers(&general),
            general.covers(&ty),
            ty.contains(&Value::Integer(1)),
        ));
    }
}

/// Requests of the machine interface, in a world without files.
pub(super) fn rpc(data: &[u8]) {
    let answer = Server::new(MemoryWorld::default()).answer(&text(data));
    assert!(answer.starts_with('{') && !answer.contains('\n'), "{answer}");
    assert!(!answer.contains("INTERNAL_ERROR"), "{answer}");
}

/// Facts, in JSON and YAML.
pub(super) fn facts(data: &[u8]) {
    for file in ["a.json", "a.yaml"] {
        drop(FactFile::parse(data, file));
    }
}

/// Finished catalogs.
pub(super) fn catalog(data: &[u8]) {
    if let Ok(catalog) = Catalog::from_json(data) {
        let written = catalog.to_json();
        assert!(Catalog::from_json(written.as_bytes()).is_ok(), "{written}");
        drop(catalog.to_yaml());
    }
}

/// Resource types in Ruby.
pub(super) fn resource_type(data: &[u8]) {
    let world = MemoryWorld::default()
        .with("/modules/m/lib/puppet/type/thing.rb", data.to_vec())
        .with("/modules/m/metadata.json", "{}");
    let mut spec = SiteSpec::of("thing { 'a': x => 1 }");
    spec.modulepath = Some(vec!["/modules".into()]);
    if let Ok(site) = Compiler::new(world).open(&spec) {
        drop(site.compile(&Node::named("n")).result);
    }
}

/// A hierarchy, its data, and what it interpolates.
pub(super) fn hiera(data: &[u8]) {
    let world = MemoryWorld::default()
        .with("/site/hiera.yaml", data.to_vec())
        .with("/site/data/common.yaml", data.to_vec())
        .with("/site/manifests/site.pp", "notify { 'x': message => lookup('k', Any, 'deep', 1) }");
    if let Ok(site) = Compiler::new(world).open(&SiteSpec::at("/site")) {
        drop(site.compile(&Node::named("n")).result);
    }
}
