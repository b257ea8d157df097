//! The server that agents talk to: certificates, catalogs, files, reports.
//!
//! This crate is where a network, a disk that is written to and a clock belong, so it does without `World` for its own files; code is
//! compiled through the [`kukla`] crate, which sees the world as everywhere.
//!
//! A request goes one way, and [`server`] has the steps in order:
//!
//! 1. a connection is accepted and counted to its client ([`listen`], [`connections`]);
//! 2. the client is identified, by the connection or, behind a proxy, by headers ([`peer`], [`proxy`]);
//! 3. the route is found by the request line alone ([`routes`]), and the rules are asked ([`auth`]);
//! 4. the body arrives, within the limit of its route, at a minimum pace, and memory is taken as it does ([`receive`], [`room`], [`pace`]);
//! 5. the request is decoded, once for rules and handler ([`call`]), and the rules are asked about all of it;
//! 6. a thread of the pool for this kind of work becomes free ([`pools`]);
//! 7. a handler answers ([`routes`]), and the answer is sent at the pace of the client ([`answer`], [`socket`]).

#![allow(clippy::disallowed_methods)]

pub mod answer;
pub mod auth;
pub mod ca;
pub mod call;
pub mod catalog;
pub mod command;
pub mod connections;
pub mod deployer;
pub mod environments;
pub mod file_content;
pub mod file_metadata;
pub mod filebucket;
pub mod files;
pub mod json;
pub mod limits;
pub mod listen;
pub mod log;
pub mod metrics;
pub mod mounts;
pub mod nodes;
pub mod pace;
pub mod peer;
pub mod pools;
pub mod protected;
pub mod proxy;
pub mod puppetserver_conf;
pub mod receive;
pub mod report;
pub mod room;
pub mod routes;
pub mod run;
pub mod sd;
pub mod server;
pub mod settings;
pub mod socket;
pub mod static_catalog;
pub mod status;
pub mod storing;
pub mod summary;
pub mod tasks;
pub mod tls;
pub mod webhook;

/// The version of Puppet whose protocol and language this is, as agents see it.
pub const PUPPET_VERSION: &str = "8.11.0";
