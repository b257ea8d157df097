//! How the `kukla` binary is linked, and facts about the build for `kukla self`.

#![allow(clippy::disallowed_methods)] // a build script has no World

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=KUKLA_PIE");
    describe_build();
    if std::env::var_os("KUKLA_PIE").is_some() {
        return;
    }
    let target = |part: &str| std::env::var_os(format!("CARGO_CFG_TARGET_{part}"));
    if target("OS").is_some_and(|os| os == "linux") && target("ENV").is_some_and(|env| env == "gnu") {
        // At an address of its own, 53,000 pointers in tables need no adjusting before anything runs: a third of the time that a
        // small catalog takes from the command line.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

fn describe_build() {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    println!("cargo::rustc-env=KUKLA_TARGET={}", variable("TARGET"));
    // The directory of the output is target/[TRIPLE/]PROFILE/build/kukla-cli-…/out.
    let out = variable("OUT_DIR");
    let profile = out.split('/').rev().nth(3).unwrap_or("unknown").to_owned();
    println!("cargo::rustc-env=KUKLA_PROFILE={profile}");
    let version = Command::new(variable("RUSTC")).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=KUKLA_RUSTC={}", version.unwrap_or_else(|_| "unknown".to_owned()));
}
