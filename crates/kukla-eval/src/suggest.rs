//! Names that are almost another name, for hints.

/// The name nearest to `wanted`, if one is near.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match wanted.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    let near = names.filter(|name| *name != wanted).map(|name| (strsim::osa_distance(wanted, name), name));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["package", "service", "pakage"];
        assert_eq!(nearest("packge", names.into_iter()), Some("package"));
        assert_eq!(nearest("sevrice", names.into_iter()), Some("service"));
        assert_eq!(nearest("zzz", names.into_iter()), None);
    }
}
