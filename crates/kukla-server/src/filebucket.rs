//! The bucket: contents of files that agents have replaced, under their digests.
//!
//! The layout is Puppet's (`0/1/2/3/4/5/6/7/DIGEST/contents` and `paths`). Beside them is written who brought a content, since only they,
//! and holders of certificates that may manage others, get it back. To others it looks missing, so they bring it as well.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper::{Method, StatusCode};
use kukla::syntax::Problem;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::answer::{Answer, Issue, OCTETS};
use crate::call::Call;
use crate::file_metadata::hexadecimal;
use crate::files::{append_line, create_if_missing, make_directory, read, read_if_there, write_whole};

/// Answers a request for `ALGORITHM/DIGEST` or `ALGORITHM/DIGEST/PATH`.
pub fn answer(bucket: &Path, call: &Call, key: &str) -> Answer {
    let Some(item) = Item::read(bucket, key) else {
        return Answer::error(Issue::Request, format!("Invalid bucket key '{key}'"));
    };
    let missing = || Answer::error(Issue::NotFound, format!("Could not find file_bucket_file {key}"));
    match call.method {
        Method::PUT => match item.store(call) {
            Ok(()) => Answer::empty(StatusCode::OK, OCTETS),
            Err(problem) => problem,
        },
        _ if !item.is_known(call) => missing(),
        Method::HEAD => Answer::empty(StatusCode::OK, OCTETS),
        _ => match call.parameter("diff_with") {
            Some(other) => difference(bucket, call, &item, other),
            None => File::open(item.contents()).and_then(Answer::file).unwrap_or_else(|_| missing()),
        },
    }
}

/// The difference to another content.
fn difference(bucket: &Path, call: &Call, item: &Item, other: &str) -> Answer {
    let other_item = Item::read(bucket, &format!("{}/{other}", item.algorithm));
    let Some(other) = other_item.filter(|other| other.is_known(call)) else {
        return Answer::error(Issue::Runtime, format!("could not find diff_with {other}"));
    };
    let (old, new) = match (read(&item.contents()), read(&other.contents())) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(problem), _) | (_, Err(problem)) => return Answer::error(Issue::Runtime, problem),
    };
    let names = [item, &other].map(|item| item.contents().display().to_string());
    if old.contains(&0) || new.contains(&0) {
        let difference = format!("Binary files {} and {} differ\n", names[0], names[1]);
        return Answer::new(StatusCode::OK, OCTETS, if old == new { String::new() } else { difference });
    }
    let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&new));
    // Large contents that have little in common are compared coarsely rather than for long.
    let lines = kukla::format::diff_lines(&old, &new, Some(Duration::from_secs(2)));
    Answer::new(StatusCode::OK, OCTETS, lines.unified_diff().header(&names[0], &names[1]).to_string())
}

struct Item {
    algorithm: String,
    digest: String,
    path: Option<String>,
    directory: PathBuf,
}

impl Item {
    fn read(bucket: &Path, key: &str) -> Option<Item> {
        let mut parts = key.splitn(3, '/');
        let (algorithm, digest) = (parts.next()?, parts.next()?.to_lowercase());
        let path = parts.next().filter(|path| !path.is_empty()).map(str::to_owned);
        let length = match algorithm {
            "md5" => 32,
            "sha1" => 40,
            "sha224" => 56,
            "sha256" => 64,
            "sha384" => 96,
            "sha512" => 128,
            _ => return None,
        };
        if digest.len() != length || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut directory = bucket.to_owned();
        digest.chars().take(8).for_each(|c| directory.push(c.to_string()));
        directory.push(&digest);
        Some(Item { algorithm: algorithm.to_owned(), digest, path, directory })
    }

    fn contents(&self) -> PathBuf {
        self.directory.join("contents")
    }

    fn is_there(&self) -> bool {
        self.contents().is_file()
    }

    /// Whether this is there for who asks, under the name they give if they give one.
    fn is_known(&self, call: &Call) -> bool {
        self.is_there()
            && self.is_theirs(call)
            && self.path.as_deref().is_none_or(|path| self.notes("paths", path))
    }

    /// Whether one of the files beside the content has this line.
    fn notes(&self, file: &str, line: &str) -> bool {
        let known = read_if_there(&self.directory.join(file)).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&known).lines().any(|known| known == line)
    }

    /// Whether who asks has brought this, or may ask for everything.
    fn is_theirs(&self, call: &Call) -> bool {
        call.peer.extension("pp_cli_auth") == Some("true")
            || self.notes("nodes", call.peer.name.as_deref().unwrap_or_default())
    }

    fn store(&self, call: &Call) -> Result<(), Answer> {
        let failed = |problem: Problem| Answer::error(Issue::Runtime, problem);
        let actual = match self.algorithm.as_str() {
            "md5" => hexadecimal(&Md5::digest(&call.body)),
            "sha1" => hexadecimal(&Sha1::digest(&call.body)),
            "sha224" => hexadecimal(&Sha224::digest(&call.body)),
            "sha384" => hexadecimal(&Sha384::digest(&call.body)),
            "sha512" => hexadecimal(&Sha512::digest(&call.body)),
            _ => hexadecimal(&Sha256::digest(&call.body)),
        };
        if actual != self.digest {
            let problem = format!("the digest of the content is {actual}, expected {}", self.digest);
            return Err(Answer::error(Issue::Request, problem));
        }
        make_directory(&self.directory, 0o750).map_err(failed)?;
        if !self.is_there() {
            write_whole(&self.contents(), &call.body, 0o440).map_err(failed)?;
        }
        self.note("paths", self.path.as_deref()).map_err(failed)?;
        self.note("nodes", call.peer.name.as_deref()).map_err(failed)
    }

    /// Adds a line unless it is there.
    fn note(&self, file: &str, line: Option<&str>) -> Result<(), Problem> {
        let path = self.directory.join(file);
        match line.filter(|line| !line.contains('\n')) {
            Some(line) if !self.notes(file, line) => append_line(&path, line, 0o640),
            Some(_) => Ok(()),
            None => create_if_missing(&path, 0o640),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_digests() {
        let digest = "40eda80edfc38b36bdcdc408aa6ff2cc40b708e46ece9dfd2b2801a05a18a5fc";
        let item = Item::read(Path::new("/b"), &format!("sha256/{digest}//etc/motd")).unwrap();
        assert_eq!(item.path.as_deref(), Some("/etc/motd"));
        assert_eq!(item.contents(), Path::new("/b/4/0/e/d/a/8/0/e").join(digest).join("contents"));
        for key in ["sha256", "sha256/../../etc", "crc/00", &format!("md5/{digest}"), "sha256//x"] {
            assert!(Item::read(Path::new("/b"), key).is_none(), "{key}");
        }
    }
}
