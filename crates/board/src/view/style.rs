//! How things look: the terminal's own sixteen colours, so that it fits light and dark; without colour, by weight alone.

use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    #[default]
    Plain,
    /// It needs a person now.
    Asks,
    Failed,
    Done,
    Parked,
    /// Less important.
    Dim,
    Strong,
    /// The first row.
    Head,
    Rule,
    Group,
    Key,
    Added,
    Removed,
    Good,
    Bad,
    Chosen,
}

impl Look {
    /// Colours of both the letters and what is behind them where it matters: each pair is readable whatever the
    /// terminal's own background is.
    #[must_use]
    pub fn style(self, colour: bool) -> Style {
        let plain = Style::new();
        let with = |style: Style, modifier| style.add_modifier(modifier);
        if !colour {
            return match self {
                Self::Asks | Self::Failed | Self::Chosen => with(plain, Modifier::BOLD | Modifier::REVERSED),
                Self::Done | Self::Strong | Self::Head | Self::Group | Self::Key | Self::Bad => {
                    with(plain, Modifier::BOLD)
                }
                Self::Removed => with(plain, Modifier::DIM),
                Self::Added => with(plain, Modifier::BOLD),
                Self::Dim | Self::Rule | Self::Parked => with(plain, Modifier::DIM),
                Self::Plain | Self::Good => plain,
            };
        }
        match self {
            Self::Plain => plain,
            Self::Asks => with(plain.fg(Color::Black).bg(Color::Yellow), Modifier::BOLD),
            Self::Failed => with(plain.fg(Color::White).bg(Color::Red), Modifier::BOLD),
            Self::Done => plain.fg(Color::Black).bg(Color::Green),
            Self::Parked => plain.fg(Color::Magenta),
            Self::Dim | Self::Rule => with(plain, Modifier::DIM),
            Self::Strong | Self::Head => with(plain, Modifier::BOLD),
            Self::Group => with(plain.fg(Color::Cyan), Modifier::BOLD),
            Self::Key => with(plain.fg(Color::Cyan), Modifier::BOLD),
            Self::Added | Self::Good => plain.fg(Color::Green),
            Self::Removed => plain.fg(Color::Red),
            Self::Bad => with(plain.fg(Color::Red), Modifier::BOLD),
            Self::Chosen => with(plain, Modifier::REVERSED),
        }
    }
}
