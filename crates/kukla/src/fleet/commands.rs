//! The commands that the code of a fleet needs and that its policy refuses.

use std::sync::Arc;

use kukla_syntax::Problem;
use kukla_world::policy::Commands;
use kukla_world::{CommandNames, CommandOutput, FileResult, World};

use super::compile::{NodeCompilation, NodeCompileOptions};
use super::members::FleetCompiler;
use super::node::SiteNode;
use super::options::FleetOptions;

/// A world in which every command succeeds without output, and none runs.
#[derive(Debug)]
struct PretendedCommands {
    world: Arc<dyn World>,
    names: Arc<CommandNames>,
}

impl World for PretendedCommands {
    fn inner(&self) -> Option<&dyn World> {
        Some(&*self.world)
    }

    fn run(&self, command: &[String]) -> FileResult<CommandOutput> {
        self.names.add(command);
        Ok(CommandOutput { code: Some(0), ..CommandOutput::default() })
    }
}

impl FleetCompiler {
    /// The value of `Policy::commands` that would allow every command that these nodes need, after a compilation that refused some; `None` if it
    /// refused none.
    ///
    /// A compilation ends at the first command that is refused. To find the others, the nodes are compiled again with commands that are
    /// pretended to succeed without output. Commands that depend on the output of another one can be missed.
    pub fn commands_to_allow(
        &self,
        options: &FleetOptions,
        nodes: impl IntoIterator<Item = SiteNode>,
    ) -> Result<Option<Vec<String>>, Problem> {
        let mut names = self.compiler.refused_commands();
        if names.is_empty() {
            return Ok(None);
        }
        let pretended = Arc::new(CommandNames::default());
        let mut options = options.clone();
        if let Commands::Only(allowed) = &options.policy.commands {
            names.extend(allowed.iter().cloned());
        }
        options.policy.commands = Commands::On;
        options.record_inputs = false;
        options.control.repository = Arc::new(PretendedCommands {
            world: Arc::clone(&options.control.repository),
            names: Arc::clone(&pretended),
        });
        let probe = FleetCompiler::sharing(&options, Some(&self.compiler))?;
        for node in nodes {
            let site = probe.compiler.open(&node.site);
            drop(NodeCompilation::new(&site, &node, &NodeCompileOptions::default()));
        }
        names.extend(pretended.all());
        Ok(Some(names.into_iter().collect()))
    }
}
