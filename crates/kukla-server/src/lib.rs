//! The server that agents talk to: certificates, catalogs, files, reports.
//!
//! This crate is where a network, a disk that is written to and a clock belong, so it does without `World` for its own files; code is
//! compiled through the [`kukla`] crate, which sees the world as everywhere.
//!
//! A request is decoded once ([`call`]), allowed ([`auth`]), answered by a function that may wait for disks ([`routes`]) and sent
//! back ([`answer`]). The functions are synchronous; [`server`] runs them on threads of their own and rejects requests beyond its limits.

#![allow(clippy::disallowed_methods)]

pub mod answer;
pub mod auth;
pub mod ca;
pub mod call;
pub mod catalog;
pub mod command;
pub mod environments;
pub mod file_content;
pub mod file_metadata;
pub mod filebucket;
pub mod files;
pub mod listen;
pub mod log;
pub mod metrics;
pub mod mounts;
pub mod nodes;
pub mod puppetserver_conf;
pub mod report;
pub mod routes;
pub mod run;
pub mod sd;
pub mod server;
pub mod settings;
pub mod socket;
pub mod static_catalog;
pub mod status;
pub mod storing;
pub mod tasks;
pub mod tls;

/// The version of Puppet whose protocol and language this is, as agents see it.
pub const PUPPET_VERSION: &str = "8.11.0";
