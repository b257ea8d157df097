use kukla_values::semver::{Version, VersionRange};

use super::*;

/// Modules with their versions and requirements.
#[derive(Clone, Debug, Default)]
struct World(BTreeMap<String, Vec<Candidate>>);

impl Catalogue for World {
    fn candidates(&self, name: &str) -> Result<Vec<Candidate>, Problem> {
        Ok(self.0.get(name).cloned().unwrap_or_default())
    }
}

impl World {
    fn with(mut self, name: &str, version: &str, dependencies: &[&str]) -> World {
        let dependencies = dependencies.iter().map(|text| Dependency::parse(text)).collect();
        let version = Some(Version::parse(version).unwrap());
        self.0.entry(name.to_owned()).or_default().push(Candidate { version, dependencies });
        self
    }
}

fn request(text: &str, line: u32) -> Request {
    let (name, range) = text.split_once(' ').unwrap_or((text, ""));
    let wanted = match range {
        "" => VersionDemand::Any,
        range => match Version::parse(range) {
            Ok(version) => VersionDemand::Exact(version),
            Err(_) => VersionDemand::Range(VersionRange::parse(range).unwrap(), range.to_owned()),
        },
    };
    Request { name: name.to_owned(), line, wanted }
}

fn requests(texts: &[&str]) -> Vec<Request> {
    texts.iter().zip(1..).map(|(text, line)| request(text, line)).collect()
}

fn solve(world: &World, texts: &[&str], strictness: Strictness) -> Result<Resolution, Vec<String>> {
    match resolve(&requests(texts), world, &BTreeMap::new(), strictness) {
        Ok(resolution) => Ok(resolution),
        Err(ResolveError::Conflict(reasons)) => Err(reasons),
        Err(ResolveError::Problem(problem)) => panic!("{problem}"),
    }
}

fn versions(resolution: &Resolution) -> Vec<String> {
    resolution.versions.iter().map(|(name, version)| format!("{name} {version}")).collect()
}

fn stdlib() -> World {
    World::default()
        .with("p-stdlib", "4.0.0", &[])
        .with("p-stdlib", "5.0.0", &[])
        .with("p-stdlib", "6.0.0-rc1", &[])
        .with("p-apt", "1.0.0", &["p-stdlib >= 4.0.0 < 5.0.0"])
        .with("p-apt", "2.0.0", &["p-stdlib >= 5.0.0 < 6.0.0"])
        .with("p-old", "1.0.0", &["p-stdlib < 5.0.0"])
}

#[test]
fn the_latest_stable_versions_that_fit_are_chosen() {
    let world = stdlib();
    assert_eq!(
        versions(&solve(&world, &["p-apt"], Strictness::Strict).unwrap()),
        ["p-apt 2.0.0", "p-stdlib 5.0.0"]
    );
    let old = solve(&world, &["p-apt", "p-old"], Strictness::Strict).unwrap();
    assert_eq!(versions(&old), ["p-apt 1.0.0", "p-old 1.0.0", "p-stdlib 4.0.0"]);
    assert_eq!(versions(&solve(&world, &["p-stdlib"], Strictness::Strict).unwrap()), ["p-stdlib 5.0.0"]);
    let pinned = solve(&world, &["p-stdlib 6.0.0-rc1"], Strictness::Strict).unwrap();
    assert_eq!(versions(&pinned), ["p-stdlib 6.0.0-rc1"]);
}

#[test]
fn preferred_versions_stay() {
    let preferred = BTreeMap::from([("p-apt".to_owned(), Version::parse("1.0.0").unwrap())]);
    let resolution = resolve(&requests(&["p-apt"]), &stdlib(), &preferred, Strictness::Strict).unwrap();
    assert_eq!(versions(&resolution), ["p-apt 1.0.0", "p-stdlib 4.0.0"]);
}

#[test]
fn an_exact_version_of_the_puppetfile_counts_more_than_bounds() {
    let world = stdlib();
    let texts = ["p-apt 1.0.0", "p-stdlib 5.0.0"];
    let resolution = solve(&world, &texts, Strictness::Lenient).unwrap();
    assert_eq!(versions(&resolution), ["p-apt 1.0.0", "p-stdlib 5.0.0"]);
    assert_eq!(
        resolution.violations[0].to_string(),
        "p-apt 1.0.0 requires p-stdlib >= 4.0.0 < 5.0.0, and the Puppetfile has 5.0.0"
    );
    assert_eq!(
        solve(&world, &texts, Strictness::Strict).unwrap_err(),
        [
            "Because the Puppetfile requires p-apt 1.0.0 (line 1) and p-apt 1.0.0 requires p-stdlib >= 4.0.0 < 5.0.0, the Puppetfile requires p-stdlib 4.0.0.",
            "And because the Puppetfile requires p-stdlib 5.0.0 (line 2), the Puppetfile cannot be resolved."
        ]
    );
}

#[test]
fn conflicts_are_explained() {
    let world =
        stdlib().with("p-new", "1.0.0", &["p-stdlib >= 5.0.0"]).with("p-lost", "1.0.0", &["p-gone >= 2.0.0"]);
    let reasons = solve(&world, &["p-old", "p-new"], Strictness::Lenient).unwrap_err().join("\n");
    for fact in [
        "p-old 1.0.0 requires p-stdlib < 5.0.0",
        "p-new 1.0.0 requires p-stdlib >= 5.0.0",
        "(line 1)",
        "(line 2)",
    ] {
        assert!(reasons.contains(fact), "{fact} in {reasons}");
    }
    let reasons = solve(&world, &["p-lost"], Strictness::Lenient).unwrap_err().join("\n");
    assert!(reasons.contains("p-lost 1.0.0 requires p-gone >= 2.0.0 (not on the Forge)"), "{reasons}");
    let reasons = solve(&world, &["p-stdlib 7.0.0"], Strictness::Lenient).unwrap_err().join("\n");
    assert!(
        reasons.contains("the Puppetfile requires p-stdlib 7.0.0 (line 1; no such version)"),
        "{reasons}"
    );
}

/// A small generator of pseudo-random numbers, so that every run has the same worlds.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn generated(seed: u64) -> (World, Vec<String>) {
    let mut numbers = Numbers(seed);
    let modules = 3 + numbers.below(4);
    let mut world = World::default();
    for module in 0..modules {
        for version in 1..=(1 + numbers.below(4)) {
            let mut dependencies = Vec::new();
            for other in 0..modules {
                if other != module && numbers.below(10) < 4 {
                    let low = 1 + numbers.below(4);
                    let high = low + 1 + numbers.below(3);
                    dependencies.push(format!("m-{other} >= {low}.0.0 < {high}.0.0"));
                }
            }
            let dependencies: Vec<&str> = dependencies.iter().map(String::as_str).collect();
            let suffix = if numbers.below(12) == 0 { "-rc1" } else { "" };
            world = world.with(&format!("m-{module}"), &format!("{version}.0.0{suffix}"), &dependencies);
        }
    }
    let wanted = (0..=numbers.below(2)).map(|_| {
        let module = numbers.below(modules);
        match numbers.below(3) {
            0 => format!("m-{module}"),
            1 => format!("m-{module} >= {}.0.0", 1 + numbers.below(4)),
            _ => format!("m-{module} {}.0.0", 1 + numbers.below(4)),
        }
    });
    let mut wanted: Vec<String> = wanted.collect();
    wanted.sort();
    wanted.dedup_by(|a, b| a.split(' ').next() == b.split(' ').next());
    (world, wanted)
}

/// Whether every requirement holds among the chosen versions.
fn is_valid(world: &World, chosen: &BTreeMap<String, Version>, wanted: &[Request]) -> bool {
    let accepted = |request: &Request| match (&request.wanted, chosen.get(&request.name)) {
        (_, None) => false,
        (VersionDemand::Any, Some(version)) => {
            version.is_stable()
                || !world.0[&request.name].iter().any(|known| known.version.as_ref().unwrap().is_stable())
        }
        (VersionDemand::Exact(exact), Some(version)) => exact.compare(version).is_eq(),
        (VersionDemand::Range(range, _), Some(version)) => range.includes(version),
        (VersionDemand::Fixed(_), Some(_)) => true,
    };
    wanted.iter().all(accepted)
        && chosen.iter().all(|(name, version)| {
            let candidate =
                world.0[name].iter().find(|known| known.version.as_ref() == Some(version)).unwrap();
            candidate
                .dependencies
                .iter()
                .all(|each| chosen.get(&each.name).is_some_and(|version| each.accepts(version)))
        })
}

/// Tries every choice of versions.
fn has_solution(world: &World, wanted: &[Request]) -> bool {
    let names: Vec<&String> = world.0.keys().collect();
    let mut indexes = vec![0; names.len()];
    loop {
        let chosen = names.iter().zip(&indexes).filter(|(_, index)| **index > 0);
        let chosen = chosen
            .map(|(name, index)| ((*name).clone(), world.0[*name][*index - 1].version.clone().unwrap()));
        if is_valid(world, &chosen.collect(), wanted) {
            return true;
        }
        let Some(at) = (0..names.len()).find(|at| indexes[*at] < world.0[names[*at]].len()) else {
            return false;
        };
        indexes[at] += 1;
        indexes[..at].fill(0);
    }
}

#[test]
fn generated_worlds_are_solved_exactly_if_trying_everything_solves_them() {
    let (mut solved, mut refused) = (0, 0);
    for seed in 0..1000 {
        let (world, texts) = generated(seed);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let wanted = requests(&texts);
        let expected = has_solution(&world, &wanted);
        let context = format!("seed {seed}: {texts:?} in {world:?}");
        match solve(&world, &texts, Strictness::Strict) {
            Ok(resolution) => {
                assert!(expected, "no solution exists: {context}");
                let chosen = resolution
                    .versions
                    .iter()
                    .map(|(name, text)| (name.clone(), Version::parse(text).unwrap()));
                assert!(is_valid(&world, &chosen.collect(), &wanted), "invalid: {resolution:?} {context}");
                assert_eq!(solve(&world, &texts, Strictness::Strict).unwrap(), resolution, "{context}");
                solved += 1;
            }
            Err(reasons) => {
                assert!(!expected, "a solution exists: {reasons:?} {context}");
                assert!(reasons.iter().any(|line| line.contains("Puppetfile")), "{reasons:?}");
                refused += 1;
            }
        }
    }
    assert!(solved > 200 && refused > 200, "{solved} solved, {refused} refused");
}
