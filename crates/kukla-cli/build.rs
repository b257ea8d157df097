//! How the `kukla` binary is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=KUKLA_PIE");
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
