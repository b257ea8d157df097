//! What surrounds a Ruby program: the world, what it may use, where it writes, and Puppet if Puppet is there.

use kukla_values::Value as PuppetValue;
use kukla_world::World;

/// What surrounds a running program.
pub trait Host {
    /// Files, the clock, the environment, commands.
    fn world(&self) -> &dyn World;
    /// Counts work done; an error once there was too much of it. It cannot be rescued.
    fn charge(&mut self, steps: u64) -> Result<(), kukla_values::Error>;
    /// Takes what the program writes to standard output.
    fn write_out(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// Takes what the program writes to standard error.
    fn write_err(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// A line of standard input with its end, if there is any.
    fn read_line(&mut self) -> Option<Vec<u8>> {
        None
    }
    /// The compilation that the program is part of.
    fn puppet(&mut self) -> Option<&mut dyn Puppet> {
        None
    }
}

/// A compilation as seen from Ruby: the scope that a template or function was called from.
pub trait Puppet {
    /// The value of a variable, `None` if there is no such variable.
    fn variable(&mut self, name: &str) -> Result<Option<PuppetValue>, kukla_values::Error>;
    /// The names of all variables that can be seen without a qualified name.
    fn variables(&mut self) -> Vec<String>;
    /// Sets a variable of the scope.
    fn set_variable(&mut self, name: &str, value: PuppetValue) -> Result<(), kukla_values::Error>;
    /// Calls a function.
    fn call(&mut self, name: &str, args: Vec<PuppetValue>) -> Result<PuppetValue, kukla_values::Error>;
    /// The tags of the scope.
    fn tags(&mut self) -> Vec<String>;
    /// The tags of the whole catalog.
    fn all_tags(&mut self) -> Vec<String>;
    /// The classes of the catalog.
    fn classes(&mut self) -> Vec<String>;
}
