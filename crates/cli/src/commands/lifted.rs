//! `coop lifted`: whether a parked agent is told to go on when its limit lifts.

use clap::{Args, ValueEnum};
use coop_api::v1::LiftedConfig;

use crate::sessions::Target;
use crate::{CommandError, out};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// Show or set whether the agent is told to go on when a limit lifts that it waits for
#[derive(Debug, Args)]
pub(crate) struct Lifted {
    /// Without it, shows how it is set
    switch: Option<Switch>,
    /// What the agent is told [default: continue]
    #[arg(long, short, value_name = "TEXT", requires = "switch")]
    message: Option<String>,
    #[command(flatten)]
    target: Target,
    /// Print the API's reply
    #[arg(long)]
    json: bool,
}

impl Lifted {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let client = self.target.client()?;
        let config = match self.switch {
            None => client.lifted_config().await?,
            Some(switch) => {
                let set = LiftedConfig { enabled: switch == Switch::On, message: self.message };
                client.put_lifted_config(&set).await?
            }
        };
        if self.json { out::json(&config) } else { out::print(&describe(&config)) }
    }
}

fn describe(config: &LiftedConfig) -> String {
    match &config.message {
        Some(message) if config.enabled => format!("on   says: {}\n", out::harmless(message)),
        _ => "off\n".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_people() {
        let config = |enabled| LiftedConfig { enabled, message: Some("go on".into()) };
        assert_eq!((describe(&config(true)), describe(&config(false))), ("on   says: go on\n".into(), "off\n".into()));
    }
}
