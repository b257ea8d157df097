//! The compiler as a library: environments, nodes, catalogs.
//!
//! A [`Compiler`] sees a [`World`] of files and opens a [`Site`] in it, once; the site compiles as many nodes as there are, on
//! as many threads as you like.
//!
//! ```
//! use kukla::{Compiler, MemoryWorld, Node, SiteSpec};
//!
//! // A control repository, here in memory; `DiskWorld` reads files, and anything else can be a `World`.
//! let world = MemoryWorld::default()
//!     .with("/control/manifests/site.pp", "include ntp")
//!     .with("/control/modules/ntp/manifests/init.pp", "
//!         class ntp (Array[String] $servers) {
//!           file { '/etc/ntp.conf': content => $servers.join(' '), mode => '0644' }
//!         }")
//!     .with("/control/hiera.yaml", "{version: 5, hierarchy: [{name: common, path: common.yaml}]}")
//!     .with("/control/data/common.yaml", "ntp::servers: [a.example.com, b.example.com]");
//! let compiler = Compiler::new(world);
//! let site = compiler.open(&SiteSpec::at("/control"))?;
//!
//! // A node has a name, and facts.
//! let mut node = Node::named("web1.example.com");
//! node.facts.insert("kernel", "Linux");
//!
//! let compiled = site.compile(&node);
//! for log in &compiled.logs {
//!     eprintln!("{}: {}", log.level.name(), log.message);
//! }
//! let catalog = compiled.result?;
//! let file = catalog.find("File", "/etc/ntp.conf").expect("the class declares it");
//! assert_eq!(file.get("content"), Some(&"a.example.com b.example.com".into()));
//! assert!(catalog.to_json().contains(r#""title":"/etc/ntp.conf""#));
//!
//! // An error is data: a code, a message, a position.
//! let broken = compiler.open(&SiteSpec::of("$ports = [80]\n$ports * 2"))?;
//! let failure = broken.compile(&node).result.expect_err("an array is not a number");
//! assert_eq!(failure.location().map(|location| location.line()), Some(2));
//! println!("{failure}");
//! # Ok::<(), Box<kukla::Diagnostic>>(())
//! ```
//!
//! | to | see |
//! | --- | --- |
//! | evaluate code, look up data | [`Site::eval`], [`Site::lookup`] |
//! | find the origins of attribute values | [`Site::compile_with`], [`provenance`] |
//! | check a text without running it | [`analysis`] |
//! | compile, watch and compare all nodes of a control repository | [`fleet`] |
//! | compile nodes that collect each other's exports | [`exchange`] |
//! | check policies | [`policies`] |
//! | serve the machine interface | [`rpc`] |
//! | format and lint | [`mod@format`], [`lint`], with the settings of [`style`] |
//! | change source files on the disk | [`rewrite`] |
//! | read fact files, classifications, `puppet.conf` | [`facts`], [`classify`], [`puppet_conf`] |
//!
//! The crates below are re-exported under their own names: [`syntax`], [`values`], [`world`], [`formats`],
//! [`catalog`], [`hiera`], [`eval`], [`functions`], [`mod@format`], [`lint`].
//! The only state of the whole process is the table of built-in functions and that of interned names.

pub mod analysis;
pub mod basis;
pub mod cache;
mod caught;
pub mod certname;
pub mod classify;
pub mod codes;
mod compile;
mod compiler;
pub mod conf;
pub mod config_file;
pub mod config_schema;
mod confine;
pub mod control;
mod conversation;
pub mod coverage;
mod cycles;
pub mod diff;
mod disk;
pub mod exchange;
pub mod exports;
pub mod facts;
pub mod fleet;
mod guest;
mod missing;
pub mod pending;
mod pipe;
pub mod policies;
mod problems;
pub mod provenance;
pub mod puppet_conf;
pub mod rewrite;
pub mod rpc;
pub mod ruby;
mod site;
mod spec;
pub mod style;
mod validate;
mod watch;

pub use caught::caught;
pub use compile::{Answer, CompileOptions, Compiled, LookupContext, Outcome};
pub use compiler::{Compiler, registry};
pub use cycles::{Cycles, cycle_diagnostic};
pub use disk::DiskWorld;
pub use missing::{MissingModule, missing_module};
pub use problems::cannot_read;
pub use site::Site;
pub use spec::SiteSpec;
pub use validate::RefusedResource;

pub use kukla_catalog as catalog;
pub use kukla_eval as eval;
pub use kukla_extensions as extensions;
pub use kukla_format as format;
pub use kukla_formats as formats;
pub use kukla_functions as functions;
pub use kukla_hiera as hiera;
pub use kukla_lint as lint;
pub use kukla_syntax as syntax;
pub use kukla_values as values;
pub use kukla_world as world;

pub use kukla_catalog::Catalog;
pub use kukla_eval::error::Diagnostic;
pub use kukla_eval::messages::Log;
pub use kukla_eval::settings::Settings;
pub use kukla_eval::{Environment, Node};
pub use kukla_syntax::{Problem, ProblemKind};
pub use kukla_values::{Type, Value};
pub use kukla_world::{MemoryWorld, Policy, World};
