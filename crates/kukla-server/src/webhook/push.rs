//! The payloads of git hosts: which branches of which repository were pushed to, created or deleted.
//!
//! | host | branch |
//! |---|---|
//! | GitHub, GitLab, Forgejo, Gitea | `ref`, such as `refs/heads/production`; with `ref_type`, the name alone |
//! | Bitbucket Cloud | `push.changes[].new` or `old`, with `type` and `name` |
//! | Bitbucket Data Center | `changes[].ref`, with `type` and `displayId` |

use serde_json::Value;

use crate::deployer::PushedBranch;

/// A push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The addresses of the repository.
    pub repositories: Vec<String>,
    /// The names of branches, each once.
    pub names: Vec<String>,
}

/// The branches of one push that are deployed. A mirror can push them all at once.
const MOST_BRANCHES: usize = 1000;
/// The bytes of the longest name and address.
const LONGEST: usize = 1024;

/// Reads a payload; a push without branches, or another event, is ignored for a reason.
pub fn read(payload: &Value) -> Result<Push, &'static str> {
    let mut names: Vec<String> = Vec::new();
    for name in branches(payload).ok_or("the event is not a push")? {
        let is_name = !name.is_empty() && name.len() <= LONGEST && !name.chars().any(char::is_control);
        if is_name && !names.iter().any(|known| known == name) && names.len() < MOST_BRANCHES {
            names.push(name.to_owned());
        }
    }
    match names.is_empty() {
        true => Err("the push is not to a branch"),
        false => Ok(Push { repositories: repositories(payload), names }),
    }
}

impl Push {
    /// The branches.
    pub fn branches(&self) -> Vec<PushedBranch> {
        let branch =
            |name: &String| PushedBranch { repositories: self.repositories.clone(), name: name.clone() };
        self.names.iter().map(branch).collect()
    }
}

fn branches(payload: &Value) -> Option<Vec<&str>> {
    if let Some(changes) = payload["push"]["changes"].as_array() {
        let all = changes
            .iter()
            .filter_map(|change| ["new", "old"].iter().find_map(|side| change[*side].as_object()));
        let branches = all.filter(|reference| is(reference.get("type"), "branch"));
        return Some(branches.filter_map(|reference| reference.get("name")?.as_str()).collect());
    }
    if let Some(changes) = payload["changes"].as_array().filter(|_| payload["ref"].is_null()) {
        let branches = changes
            .iter()
            .map(|change| &change["ref"])
            .filter(|reference| is(reference.get("type"), "BRANCH"));
        return Some(
            branches.filter_map(|reference| reference["id"].as_str()?.strip_prefix("refs/heads/")).collect(),
        );
    }
    let reference = payload["ref"].as_str()?;
    Some(match (reference.strip_prefix("refs/heads/"), payload["ref_type"].as_str()) {
        (Some(branch), _) => vec![branch],
        (None, Some("branch")) => vec![reference],
        (None, _) => Vec::new(),
    })
}

fn is(value: Option<&Value>, word: &str) -> bool {
    value.and_then(Value::as_str).is_some_and(|value| value.eq_ignore_ascii_case(word))
}

/// The addresses of the repository, wherever a host has them.
fn repositories(payload: &Value) -> Vec<String> {
    const NAMES: [&str; 11] = [
        "clone_url",
        "ssh_url",
        "git_http_url",
        "git_ssh_url",
        "git_url",
        "html_url",
        "web_url",
        "http_url",
        "url",
        "full_name",
        "path_with_namespace",
    ];
    let mut all: Vec<&str> = Vec::new();
    for repository in [&payload["repository"], &payload["project"]] {
        all.extend(NAMES.iter().filter_map(|name| repository[*name].as_str()));
        let links = &repository["links"];
        let listed = links["clone"].as_array().into_iter().flatten().chain([&links["html"]]);
        all.extend(listed.filter_map(|link| link["href"].as_str()));
    }
    let mut addresses: Vec<String> = Vec::new();
    for address in all.into_iter().filter(|address| !address.is_empty() && address.len() <= LONGEST) {
        if !addresses.iter().any(|known| known == address) {
            addresses.push(address.to_owned());
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(payload: &Value) -> Result<Vec<String>, &'static str> {
        read(payload).map(|push| push.names)
    }

    #[test]
    fn the_payloads_of_all_hosts() {
        let github = json!({
            "ref": "refs/heads/feature/a", "before": "00", "after": "11", "deleted": false,
            "repository": {"full_name": "ops/control", "clone_url": "https://github.example.com/ops/control.git", "ssh_url": "git@github.example.com:ops/control.git"},
        });
        let push = read(&github).unwrap();
        assert_eq!(push.names, ["feature/a"]);
        assert_eq!(
            push.repositories,
            [
                "https://github.example.com/ops/control.git",
                "git@github.example.com:ops/control.git",
                "ops/control"
            ]
        );

        let gitlab = json!({
            "object_kind": "push", "ref": "refs/heads/main", "checkout_sha": null,
            "project": {"path_with_namespace": "a/b/control", "git_http_url": "https://gitlab.example.com/a/b/control.git", "homepage": "https://example.com/"},
            "repository": {"homepage": "https://example.com/", "url": "git@gitlab.example.com:a/b/control.git"},
        });
        let push = read(&gitlab).unwrap();
        assert_eq!(
            push.repositories,
            [
                "git@gitlab.example.com:a/b/control.git",
                "https://gitlab.example.com/a/b/control.git",
                "a/b/control"
            ]
        );

        let cloud = json!({
            "push": {"changes": [
                {"new": {"type": "branch", "name": "main"}, "old": null, "created": true},
                {"new": null, "old": {"type": "branch", "name": "gone"}, "closed": true},
                {"new": {"type": "tag", "name": "v1"}, "old": null},
                {"new": {"type": "branch", "name": "main"}, "old": {"type": "branch", "name": "main"}},
            ]},
            "repository": {"full_name": "ops/control", "links": {"html": {"href": "https://bitbucket.org/ops/control"}}},
        });
        let push = read(&cloud).unwrap();
        assert_eq!(
            (push.names, push.repositories),
            (
                vec!["main".to_owned(), "gone".to_owned()],
                vec!["ops/control".to_owned(), "https://bitbucket.org/ops/control".to_owned()]
            )
        );

        let center = json!({
            "eventKey": "repo:refs_changed",
            "changes": [
                {"ref": {"id": "refs/heads/main", "displayId": "main", "type": "BRANCH"}, "type": "UPDATE"},
                {"ref": {"id": "refs/tags/v1", "displayId": "v1", "type": "TAG"}, "type": "ADD"},
            ],
            "repository": {"links": {"clone": [{"href": "ssh://git@bb.example.com:7999/ops/control.git", "name": "ssh"}]}},
        });
        let push = read(&center).unwrap();
        assert_eq!(
            (push.names, push.repositories),
            (vec!["main".to_owned()], vec!["ssh://git@bb.example.com:7999/ops/control.git".to_owned()])
        );
        assert_eq!(names(&json!({"ref": "gone/a", "ref_type": "branch"})), Ok(vec!["gone/a".to_owned()]));
    }

    #[test]
    fn other_events_are_ignored() {
        for other in [
            json!({"zen": "Keep it logically awesome.", "hook_id": 1}),
            json!([]),
            json!(null),
            json!("x"),
            json!({"ref": 1}),
            json!({"push": {"changes": {}}}),
        ] {
            assert_eq!(names(&other), Err("the event is not a push"), "{other}");
        }
        let none = Err("the push is not to a branch");
        for other in [
            json!({"ref": "refs/tags/v1"}),
            json!({"ref": "v1", "ref_type": "tag"}),
            json!({"ref": "main", "object_kind": "build"}),
            json!({"ref": "refs/heads/"}),
            json!({"ref": "refs/heads/a\nb"}),
            json!({"ref": format!("refs/heads/{}", "a".repeat(2000))}),
            json!({"push": {"changes": [1, {"new": 1}]}}),
            json!({"changes": [{"ref": "refs/heads/main"}]}),
        ] {
            assert_eq!(names(&other), none, "{other}");
        }
        let many: Vec<Value> = (0..3000)
            .map(|number| json!({"new": {"type": "branch", "name": format!("b{number}")}}))
            .collect();
        assert_eq!(names(&json!({"push": {"changes": many}})).unwrap().len(), MOST_BRANCHES);
    }
}
