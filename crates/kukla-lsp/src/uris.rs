//! URIs of files, and their paths.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The bytes that a path in a URI may not contain as they are.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path of a URI. A text that is not a file (`untitled:Untitled-1`) has a path of its own, which is not on the disk.
pub fn path_of(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else { return PathBuf::from(text) };
    // The name of the machine is not part of the path.
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    PathBuf::from(percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// The URI of a path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return Uri::from_str(&path.to_string_lossy()).ok();
    }
    let path = path.to_string_lossy();
    Uri::from_str(&format!("file://{}", utf8_percent_encode(&path, ESCAPED))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_back() {
        for path in ["/site/modules/a b/manifests/ü#?.pp", "/x/%41.pp", "/a:b/c+d.pp"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri), Path::new(path), "{}", uri.as_str());
        }
        let encoded = Uri::from_str("file:///c%3A/x%20y.pp").unwrap();
        assert_eq!(path_of(&encoded), Path::new("/c:/x y.pp"));
        let untitled = Uri::from_str("untitled:Untitled-1").unwrap();
        assert_eq!(path_of(&untitled), Path::new("untitled:Untitled-1"));
        assert_eq!(uri_of(&path_of(&untitled)), Some(untitled));
    }
}
