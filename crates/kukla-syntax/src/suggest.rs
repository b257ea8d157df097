//! Names that are almost another name, for hints.

/// The name nearest to `wanted`, if one is near.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match wanted.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    let others = names.into_iter().filter(|name| *name != wanted);
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
