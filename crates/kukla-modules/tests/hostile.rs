//! Archives, repositories and lock files that try to reach outside.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use kukla_modules::digest::Digest;
use kukla_modules::store::{Limits, Store};
use kukla_modules::unpack::{Layout, unpack};
use kukla_syntax::{Problem, ProblemKind};

use crate::common::forge::{GitRepository, Server};
use crate::common::scratch::Scratch;

/// An archive of entries: kind, name, link target, content.
fn tar(entries: &[(u8, &str, &str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, name, target, content) in entries {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[148..156].fill(b' ');
        header[156] = *kind;
        header[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().div_ceil(512) * 512, 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(&bytes).unwrap();
    compressed.finish().unwrap()
}

fn try_unpack(scratch: &Scratch, archive: &[u8], layout: Layout, limits: Limits) -> Result<Digest, Problem> {
    unpack(&Store::open(&scratch.root.join("store")).unwrap(), &mut &archive[..], layout, limits)
}

#[test]
fn archives_that_reach_outside_are_refused() {
    let scratch = Scratch::new("hostile");
    let limits = Limits { entries: 50, bytes: 10_000, path: 200 };
    let file = |name: &'static str| (b'0', name, "", &b"x"[..]);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("leads up", tar(&[file("m/../../x")])),
        ("is absolute", tar(&[file("/etc/x")])),
        ("leads up below the root", tar(&[file("m/a"), file("m/b/../../../x")])),
        ("is git's", tar(&[file(".git/hooks/post-checkout")])),
        ("is a link out", tar(&[(b'2', "m", "../../etc", b"")])),
        ("is an absolute link", tar(&[(b'2', "m/l", "/etc/passwd", b"")])),
        ("is below a link", tar(&[(b'2', "m/l", "d", b""), file("m/l/x")])),
        ("is a link through a link", tar(&[(b'2', "m/n/d", "..", b""), (b'2', "m/n/e", "d/../..", b"")])),
        ("is a hard link", tar(&[(b'1', "m/l", "/etc/passwd", b"")])),
        ("is a character device", tar(&[(b'3', "m/d", "", b"")])),
        ("is a block device", tar(&[(b'4', "m/d", "", b"")])),
        ("is a pipe", tar(&[(b'6', "m/d", "", b"")])),
        ("is below a file", tar(&[file("m/f"), file("m/f/x")])),
    ];
    for (why, archive) in &cases {
        let problem = try_unpack(&scratch, archive, Layout::Plain, limits).expect_err(why);
        assert_eq!(problem.kind(), ProblemKind::Denied, "{why}: {problem}");
    }
    let two_roots = tar(&[file("a-b-1.0.0/x"), file("other/x")]);
    assert_eq!(
        try_unpack(&scratch, &two_roots, Layout::ForgeRelease, limits).unwrap_err().kind(),
        ProblemKind::Denied
    );
    let with_link = tar(&[file("a-b-1.0.0/x"), (b'2', "a-b-1.0.0/l", "/etc", b"")]);
    try_unpack(&scratch, &with_link, Layout::ForgeRelease, limits)
        .expect("links of Forge releases are left out");
}

#[test]
fn archives_that_are_too_large_are_refused() {
    let scratch = Scratch::new("large");
    let limits = Limits { entries: 50, bytes: 10_000, path: 200 };
    let large = vec![0; 20_000];
    let names: Vec<String> = (0..60).map(|number| format!("m/{number}")).collect();
    let many: Vec<(u8, &str, &str, &[u8])> =
        names.iter().map(|name| (b'0', name.as_str(), "", &b""[..])).collect();
    let same: Vec<(u8, &str, &str, &[u8])> = (0..60).map(|_| (b'5', "m", "", &b""[..])).collect();
    for archive in [tar(&[(b'0', "m/x", "", &large)]), tar(&many), tar(&same)] {
        let problem = try_unpack(&scratch, &archive, Layout::Plain, limits).unwrap_err();
        assert_eq!(problem.kind(), ProblemKind::LimitExceeded, "{problem}");
    }
}

#[test]
fn damaged_archives_are_refused_whatever_is_damaged() {
    let scratch = Scratch::new("damaged");
    let whole = tar(&[(b'0', "m/x", "", b"some text"), (b'0', "m/y", "", b"more text")]);
    let limits = Limits::default();
    let digest = try_unpack(&scratch, &whole, Layout::Plain, limits).unwrap();
    for length in 0..whole.len() - 1 {
        if let Ok(other) = try_unpack(&scratch, &whole[..length], Layout::Plain, limits) {
            // The padding at the end is of no use to anyone.
            assert_eq!(other, digest, "{length} of {} bytes", whole.len());
        }
    }
    for position in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x55;
        let _ = try_unpack(&scratch, &bytes, Layout::Plain, limits);
    }
    assert!(try_unpack(&scratch, b"<html>not found</html>", Layout::Plain, limits).is_err());
}

#[test]
fn repositories_that_reach_outside_are_refused() {
    let scratch = Scratch::new("hostile-git");
    let server = Server::start();
    let sources = scratch.sources(&server);
    let repository = GitRepository::new(&scratch.root.join("git/evil"));
    repository.put("x", "x");
    repository.commit("x");
    let pin = || {
        scratch.pin(&scratch.sources(&server), &format!("mod 'evil', git: '{}'\n", repository.root.display()))
    };
    pin().unwrap();
    std::os::unix::fs::symlink("../../../etc/passwd", repository.root.join("link")).unwrap();
    repository.commit("a link");
    assert_eq!(pin().unwrap_err().kind(), ProblemKind::Denied);
    // Trees that git itself would not make.
    let blob = repository.git(&["rev-parse", "HEAD:x"]);
    for name in ["..", ".git", "."] {
        let mut tree = format!("100644 {name}\0").into_bytes();
        tree.extend((0..20).map(|at| u8::from_str_radix(&blob[at * 2..at * 2 + 2], 16).unwrap()));
        std::fs::write(scratch.root.join("tree"), tree).unwrap();
        let file = scratch.root.join("tree").display().to_string();
        let tree = repository.git(&["hash-object", "-t", "tree", "-w", "--literally", &file]);
        let commit = repository.git(&["commit-tree", "-m", "evil", &tree]);
        repository.git(&["update-ref", "refs/heads/main", &commit]);
        assert_eq!(pin().unwrap_err().kind(), ProblemKind::Denied, "{name}");
    }
    for url in ["ext::sh -c touch% x", "--upload-pack=touch x", "fd::17", "gopher://x/y"] {
        let problem = scratch.pin(&sources, &format!("mod 'evil', git: '{url}'\n")).unwrap_err();
        assert_eq!(problem.kind(), ProblemKind::Denied, "{url}: {problem}");
    }
    for reference in ["--upload-pack=x", "a b", "a..b", "x^{tree}"] {
        let text = format!("mod 'evil', git: '{}', ref: '{reference}'\n", repository.root.display());
        assert_eq!(scratch.pin(&sources, &text).unwrap_err().kind(), ProblemKind::Invalid, "{reference}");
    }
}
