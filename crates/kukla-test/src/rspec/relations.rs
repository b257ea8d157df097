//! Whether one resource comes before another, or notifies it, as rspec-puppet decides it: by the relationships of both and of all that
//! contain them, and by those that resource types add.

use std::collections::BTreeSet;

use kukla::catalog::{Resource, ResourceRef};
use kukla::values::Value;

use crate::rspec::catalog::{CompiledCatalog, without_slash};

impl CompiledCatalog {
    /// Whether one resource comes before another.
    pub fn precedes(&self, first: u32, second: u32) -> bool {
        let (firsts, seconds) = (self.with_containers(first), self.with_containers(second));
        firsts.iter().any(|&u| {
            let mut before = self.refs(u, "before");
            before.extend(self.refs(u, "notify"));
            let subscribed = self.refs(u, "subscribe");
            let u_name = self.name(u);
            seconds.iter().any(|&v| {
                let mut require = self.refs(v, "require");
                require.extend(subscribed.iter().cloned());
                before.contains(&self.name(v)) || require.contains(&u_name) || !before.is_disjoint(&require)
            })
        })
    }

    /// Whether one resource notifies another.
    pub fn notifies(&self, first: u32, second: u32) -> bool {
        let (firsts, seconds) = (self.with_containers(first), self.with_containers(second));
        firsts.iter().any(|&u| {
            let notify = self.refs(u, "notify");
            seconds
                .iter()
                .any(|&v| notify.contains(&self.name(v)) || self.refs(v, "subscribe").contains(&self.name(u)))
        })
    }

    fn name(&self, at: u32) -> String {
        self.catalog.resources[at as usize].reference().to_string()
    }

    /// The resources that an attribute leads to, directly or through the same attribute of others.
    fn refs(&self, at: u32, attribute: &str) -> BTreeSet<String> {
        let (mut found, mut visited) = (BTreeSet::new(), BTreeSet::new());
        self.follow(at, attribute, &mut visited, &mut found);
        found
    }

    fn follow(&self, at: u32, attribute: &str, visited: &mut BTreeSet<u32>, found: &mut BTreeSet<String>) {
        if !visited.insert(at) {
            found.insert(self.name(at));
            return;
        }
        let resource = &self.catalog.resources[at as usize];
        for target in resource.related(attribute) {
            let Some(to) = self.position(target.type_name(), target.title()) else { continue };
            found.insert(self.name(to));
            found.insert(format!("{}[{}]", self.catalog.resources[to as usize].type_name, self.name_of(to)));
            self.follow(to, attribute, visited, found);
        }
        if attribute == "require" {
            let own = self.required_by_type(at, resource).into_iter();
            let own: Vec<_> = own.map(|(type_name, title)| ResourceRef::new(type_name, title)).collect();
            self.follow_added(own, attribute, visited, found);
        }
        let added = self.added.borrow().get(&(at, attribute.to_owned())).cloned().unwrap_or_default();
        self.follow_added(added, attribute, visited, found);
    }

    fn follow_added(
        &self,
        targets: Vec<ResourceRef>,
        attribute: &str,
        visited: &mut BTreeSet<u32>,
        found: &mut BTreeSet<String>,
    ) {
        for target in targets {
            found.insert(target.to_string());
            if let Some(to) = self.position(target.type_name(), target.title()) {
                self.follow(to, attribute, visited, found);
            }
        }
    }

    /// The requirements that the type of a resource adds.
    fn required_by_type(&self, at: u32, resource: &Resource) -> Vec<(&'static str, String)> {
        let text = |attribute: &str| resource.get(attribute).and_then(Value::as_str).map(str::to_owned);
        let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
        let account = |attribute: &str| text(attribute).filter(|name| !is_number(name));
        let mut all = Vec::new();
        match resource.type_name.as_str() {
            "File" => {
                all.extend(self.parent_file(&self.name_of(at)).map(|path| ("File", path)));
                all.extend(text("target").map(|path| ("File", path)));
                all.extend(account("owner").map(|name| ("User", name)));
                all.extend(account("group").map(|name| ("Group", name)));
            }
            "Exec" => {
                all.extend(text("cwd").map(|path| ("File", path)));
                let command = text("command").unwrap_or_else(|| resource.title.as_str().to_owned());
                for text in [Some(command), text("unless"), text("onlyif")].into_iter().flatten() {
                    let words = text.split_whitespace().filter(|word| word.starts_with('/'));
                    all.extend(words.map(|word| ("File", word.trim_matches(['"', '\'', ';']).to_owned())));
                }
                all.extend(account("user").map(|name| ("User", name)));
            }
            "User" => {
                all.extend(account("gid").map(|name| ("Group", name)));
                let groups = resource.get("groups");
                let groups = groups
                    .and_then(Value::as_array)
                    .map(|all| all.to_vec())
                    .or_else(|| groups.map(|one| vec![one.clone()]));
                all.extend(
                    groups
                        .into_iter()
                        .flatten()
                        .filter_map(|name| Some(("Group", name.as_str()?.to_owned()))),
                );
            }
            "Cron" | "Ssh_authorized_key" => all.extend(account("user").map(|name| ("User", name))),
            "Package" => {
                all.extend(text("source").filter(|path| path.starts_with('/')).map(|path| ("File", path)))
            }
            _ => {}
        }
        all
    }

    /// The nearest directory above a file that the catalog has.
    fn parent_file(&self, path: &str) -> Option<String> {
        let mut path = without_slash(path);
        while let Some((parent, _)) = path.rsplit_once('/') {
            let parent = if parent.is_empty() { "/" } else { parent };
            if self.position("File", parent).is_some() {
                return Some(parent.to_owned());
            }
            if parent == "/" {
                return None;
            }
            path = parent;
        }
        None
    }
}
