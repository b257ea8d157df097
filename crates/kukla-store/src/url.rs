//! URLs of stores as they may be shown.

/// A URL as it may be shown.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, parameters) = rest.split_once('?').map_or((rest, None), |(place, more)| (place, Some(more)));
    let mut shown = match place.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(user, _)| user);
            format!("{scheme}://{user}@{host}")
        }
        None => format!("{scheme}://{place}"),
    };
    let harmless =
        parameters.into_iter().flat_map(|all| all.split('&')).filter(|one| !one.starts_with("password"));
    for (at, parameter) in harmless.enumerate() {
        shown += if at == 0 { "?" } else { "&" };
        shown += parameter;
    }
    shown
}

/// Whether a URL has a password in it.
pub fn has_password(url: &str) -> bool {
    without_password(url) != url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("postgres://kukla:a/b@c@db/x?a=b"), "postgres://kukla@db/x?a=b");
        assert_eq!(without_password("postgres://db:5/x?password=secret&a=b"), "postgres://db:5/x?a=b");
        assert_eq!(without_password("sqlite:/a"), "sqlite:/a");
        for (url, expected) in
            [("postgres://a:b@c/d", true), ("postgres://a@c/d?password=b", true), ("postgres://a@c/d", false)]
        {
            assert_eq!(has_password(url), expected, "{url}");
        }
    }
}
