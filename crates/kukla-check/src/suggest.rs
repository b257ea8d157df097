//! Suggestions of similar names.

use kukla::syntax::suggest::{LONGEST, MOST};
use kukla::values::meter;

/// The name most similar to `wanted`, if one is similar. Of equally similar names, one with the same first letter wins, then the first.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match wanted.chars().count() {
        0..=1 => return None,
        _ if wanted.len() > LONGEST => return None,
        2..=4 => 1,
        5..=9 => 2,
        _ => 3,
    };
    // Names of very different lengths are never similar.
    let is_near = |name: &&str| *name != wanted && name.len().abs_diff(wanted.len()) <= limit;
    let distance = |name: &str| {
        meter::work(wanted.len());
        Some(strsim::osa_distance(wanted, name)).filter(|distance| *distance <= limit)
    };
    let common = |name: &str| wanted.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let near = names.into_iter().filter(is_near).take(MOST);
    near.filter_map(|name| Some(((distance(name)?, usize::MAX - common(name), name), name)))
        .min_by(|(a, _), (b, _)| a.cmp(b))
        .map(|(_, name)| name)
}

/// Whether a name is certainly a typo of another: they differ in one letter, and are long enough that this is not a coincidence.
pub fn is_typo(wanted: &str, near: &str) -> bool {
    (4..=LONGEST).contains(&wanted.len())
        && near.len() <= 2 * LONGEST
        && strsim::osa_distance(wanted, near) == 1
}

/// The hint that suggests the most similar name.
pub fn hint<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(wanted, names).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["package", "service", "sevice"];
        assert_eq!(nearest("packge", names), Some("package"));
        assert_eq!(nearest("servce", names), Some("service"));
        assert_eq!(nearest("zzz", names), None);
    }
}
