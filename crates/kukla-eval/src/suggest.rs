//! Names that are almost another name, for hints.

/// The name nearest to `wanted`, if one is near.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match wanted.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    let near = names.filter(|name| *name != wanted).map(|name| (distance(wanted, name, limit), name));
    near.filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

/// The number of letters to add, drop, change or swap to get from one to the other; beyond `limit` any larger number.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
