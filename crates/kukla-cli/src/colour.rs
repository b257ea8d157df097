//! The option `--color`, which every command has.

use std::ffi::OsString;

use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always, also in files and pipes
    Always,
    /// Never
    Never,
}

impl From<Colour> for anstream::ColorChoice {
    fn from(colour: Colour) -> anstream::ColorChoice {
        match colour {
            Colour::Auto => anstream::ColorChoice::Auto,
            Colour::Always => anstream::ColorChoice::Always,
            Colour::Never => anstream::ColorChoice::Never,
        }
    }
}

impl From<Colour> for clap::ColorChoice {
    fn from(colour: Colour) -> clap::ColorChoice {
        match colour {
            Colour::Auto => clap::ColorChoice::Auto,
            Colour::Always => clap::ColorChoice::Always,
            Colour::Never => clap::ColorChoice::Never,
        }
    }
}

impl Colour {
    /// The choice on a command line, before it is parsed: its own errors have colours too. An invalid value is reported by the parser.
    pub fn of_arguments(arguments: &[OsString]) -> Colour {
        let texts: Vec<&str> = arguments.iter().map(|text| text.to_str().unwrap_or_default()).collect();
        let own = texts.split(|text| *text == "--").next().unwrap_or_default();
        let value =
            own.iter().enumerate().rev().find_map(|(at, text)| match text.strip_prefix("--color")? {
                "" => own.get(at + 1).copied(),
                rest => rest.strip_prefix('='),
            });
        value.and_then(|text| Colour::from_str(text, false).ok()).unwrap_or_default()
    }

    /// Applies the choice to everything that this process prints.
    pub fn apply(self) {
        anstream::ColorChoice::from(self).write_global();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(line: &str) -> Colour {
        Colour::of_arguments(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_choice_before_the_end_of_options_counts() {
        assert_eq!(choice("kukla check"), Colour::Auto);
        assert_eq!(choice("kukla --color always check"), Colour::Always);
        assert_eq!(choice("kukla --color=always check --color=never"), Colour::Never);
        assert_eq!(choice("kukla eval -- --color=never"), Colour::Auto);
        assert_eq!(choice("kukla check --color=sometimes"), Colour::Auto);
    }
}
