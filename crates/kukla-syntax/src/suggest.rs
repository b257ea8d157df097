//! Names that are almost another name, for hints.

/// The longest name that others are compared with, in bytes: a comparison takes as long as the product of the lengths.
pub const LONGEST: usize = 128;

/// How many names of about the right length are compared at most.
pub const MOST: usize = 10_000;

/// The name nearest to `wanted`, if one is near.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match wanted.chars().count() {
        0..=2 => return None,
        _ if wanted.len() > LONGEST => return None,
        3..=5 => 1,
        _ => 2,
    };
    let is_near = |name: &&str| *name != wanted && name.len().abs_diff(wanted.len()) <= 4 * limit;
    let others = names.into_iter().filter(is_near).take(MOST);
    let near = others.map(|name| (strsim::osa_distance(wanted, name), name));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["package", "service", "pakage"];
        assert_eq!(nearest("packge", names), Some("package"));
        assert_eq!(nearest("sevrice", names), Some("service"));
        assert_eq!(nearest("zzz", names), None);
    }
}
