//! Deploying the environments of control repositories, each in one step.
//!
//! | step | module | from | to |
//! |---|---|---|---|
//! | read | [`settings`] | r10k.yaml, the configuration of g10k | `DeploySettings` |
//! | list | [`desired`] | the branches of the sources | the environments that should be there |
//! | plan | [`plan`] | these, and the stamps of those that are there | a `Plan`: what is added, changed, removed |
//! | stage | [`stage`] | a planned environment | a whole directory beside, which replaces the old one in one step |
//! | keep | [`versions`] | a deployed environment | its files, also after the next deployment |
//! | purge | `purge` | what nobody manages | what stays |

pub mod desired;
mod ignored;
pub mod name;
pub mod plan;
mod purge;
mod run;
pub mod selection;
pub mod settings;
pub mod stage;
pub mod stamp;
mod table;
pub mod versions;

pub use run::{DeployReport, Deployment, Failure};
