//! The facts of the agent and its surroundings in a fact set, and those of modules that almost every site has.

use super::FactSet;
use super::seed::Seed;
use super::table::Kind;
use crate::machine::Fields;

const AGENT: &str = "8.10.0";
const FACTER: &str = "4.10.0";
const RUBY: &str = "3.2.5";
const AUGEAS: &str = "1.14.1";

/// Adds the facts about the agent, its user and the time.
pub fn add(set: &FactSet, node: &str, facts: &mut Fields) {
    let seed = Seed(node);
    let (kind, os) = (set.system.kind, set.system.os().0);
    // The systems that Puppet's own packages exist for, with a Ruby of their own.
    let has_package = kind != Kind::Bsd && !matches!(os, "Archlinux" | "Gentoo");
    facts.put("facterversion", FACTER);
    facts.put("puppetversion", AGENT);
    facts.put_if("aio_agent_version", has_package.then_some(AGENT));
    facts.put("clientcert", node);
    facts.put("clientversion", AGENT);
    facts.put("clientnoop", false);
    if !matches!(kind, Kind::Windows | Kind::Aix) {
        let mut augeas = Fields::default();
        augeas.put("version", AUGEAS);
        facts.put("augeas", augeas);
    }
    if matches!(kind, Kind::Linux | Kind::Windows) {
        facts.put("fips_enabled", false);
    }
    ruby(set, has_package, facts);
    facts.put("path", path(set));
    facts.put("timezone", if kind == Kind::Windows { "Coordinated Universal Time" } else { "UTC" });
    identity(set, node, facts);
    uptime(set, &seed, facts);
    if kind == Kind::Windows {
        facts.put("env_windows_installdir", "C:\\Program Files\\Puppet Labs\\Puppet");
    }
    modules(set, facts);
}

fn ruby(set: &FactSet, has_package: bool, facts: &mut Fields) {
    let (kind, os) = (set.system.kind, set.system.os().0);
    let major = set.system.os().1.split('.').next().unwrap_or_default();
    let platform = match kind {
        Kind::Linux => format!("{}-linux", set.architecture),
        Kind::Bsd if os == "OpenBSD" => format!("{}-openbsd", set.architecture),
        Kind::Bsd => format!("{}-freebsd{major}", set.hardware()),
        Kind::Windows => "x64-mingw32".to_owned(),
        Kind::Macos => format!("{}-darwin{major}", set.hardware()),
        Kind::Solaris if set.architecture == "sun4v" => "sparc-solaris2.11".to_owned(),
        Kind::Solaris => "i386-solaris2.11".to_owned(),
        Kind::Aix => "powerpc-aix7.1.0.0".to_owned(),
    };
    let sitedir = match kind {
        Kind::Windows => "C:/Program Files/Puppet Labs/Puppet/puppet/lib/ruby/site_ruby/3.2.0",
        _ if has_package => "/opt/puppetlabs/puppet/lib/ruby/site_ruby/3.2.0",
        Kind::Bsd => "/usr/local/lib/ruby/site_ruby/3.2",
        _ if os == "Gentoo" => "/usr/lib64/ruby/site_ruby/3.2.0",
        _ => "/usr/lib/ruby/site_ruby/3.2.0",
    };
    let mut ruby = Fields::default();
    ruby.put("version", RUBY);
    ruby.put("sitedir", sitedir);
    ruby.put("platform", platform);
    facts.put("ruby", ruby);
}

fn path(set: &FactSet) -> &'static str {
    match (set.system.kind, set.system.os().0) {
        (Kind::Windows, _) => {
            "C:\\Program Files\\Puppet Labs\\Puppet\\puppet\\bin;C:\\Program Files\\Puppet Labs\\Puppet\\bin;\
             C:\\Windows\\system32;C:\\Windows;C:\\Windows\\System32\\Wbem;\
             C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\;C:\\Windows\\System32\\OpenSSH\\"
        }
        (Kind::Bsd, "OpenBSD") => {
            "/sbin:/usr/sbin:/bin:/usr/bin:/usr/X11R6/bin:/usr/local/sbin:/usr/local/bin"
        }
        (Kind::Bsd, _) => "/sbin:/bin:/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin",
        (Kind::Macos, _) => "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/puppetlabs/bin",
        (Kind::Solaris | Kind::Aix, _) => "/usr/bin:/usr/sbin:/opt/puppetlabs/bin",
        (Kind::Linux, "Archlinux") => "/usr/local/sbin:/usr/local/bin:/usr/bin",
        (Kind::Linux, "Ubuntu") => {
            "/opt/puppetlabs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin"
        }
        (Kind::Linux, _) => {
            "/opt/puppetlabs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        }
    }
}

fn identity(set: &FactSet, node: &str, facts: &mut Fields) {
    let mut identity = Fields::default();
    identity.put("privileged", true);
    if set.system.kind == Kind::Windows {
        let host = node.split('.').next().unwrap_or_default().to_uppercase();
        identity.put("user", format!("{host}\\Administrator"));
    } else {
        identity.put("user", "root");
        identity.put("uid", 0i64);
        identity.put("gid", 0i64);
        identity.put(
            "group",
            match set.system.kind {
                Kind::Bsd | Kind::Macos => "wheel",
                Kind::Aix => "system",
                _ => "root",
            },
        );
    }
    facts.put("identity", identity);
}

fn uptime(set: &FactSet, seed: &Seed<'_>, facts: &mut Fields) {
    let seconds = 86_400 + seed.below("uptime", 100 * 86_400) as i64;
    let mut uptime = Fields::default();
    uptime.put("seconds", seconds);
    uptime.put("hours", seconds / 3600);
    uptime.put("days", seconds / 86_400);
    let days = seconds / 86_400;
    uptime.put("uptime", if days == 1 { "1 day".to_owned() } else { format!("{days} days") });
    facts.put("system_uptime", uptime);
    if set.system.kind != Kind::Windows {
        let mut load = Fields::default();
        for (name, limit) in [("1m", 80), ("5m", 60), ("15m", 40)] {
            load.put(name, seed.below(name, limit) as f64 / 100.0);
        }
        facts.put("load_averages", load);
    }
}

/// The facts of `stdlib` and `systemd`, which other modules rely on.
fn modules(set: &FactSet, facts: &mut Fields) {
    let (init, version) = set.system.init();
    facts.put("service_provider", init);
    facts.put_if("package_provider", set.system.value("package"));
    let is_windows = set.system.kind == Kind::Windows;
    facts.put(
        "puppet_vardir",
        if is_windows { "C:/ProgramData/PuppetLabs/puppet/cache" } else { "/opt/puppetlabs/puppet/cache" },
    );
    if !is_windows {
        facts.put(
            "root_home",
            match set.system.kind {
                Kind::Macos => "/var/root",
                Kind::Aix => "/",
                _ => "/root",
            },
        );
    }
    if set.system.kind == Kind::Linux {
        facts.put("systemd", init == "systemd");
        facts.put_if("systemd_version", version);
    }
}
