//! What a driver is made from: an agent's own, or a page.

use std::sync::Arc;

use crate::page::{self, Page};
use crate::{Driver, claude, codex, gemini};

/// Agents that have a driver of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    Claude,
    Codex,
    Gemini,
}

impl Own {
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
        }
    }
}

/// Which agent it is. A session makes several drivers from one.
#[derive(Clone, Debug)]
pub enum Recipe {
    Own(Own),
    Page(Arc<Page>),
}

impl Recipe {
    /// An agent that coop knows by itself: one with a driver, or one with a page that is part of coop.
    #[must_use]
    pub fn known(name: &str) -> Option<Self> {
        if let Some(own) = Own::ALL.into_iter().find(|own| own.name() == name) {
            return Some(Self::Own(own));
        }
        let (_, text) = page::embedded().iter().find(|(page, _)| *page == name)?;
        Page::read(text).ok().map(|page| Self::Page(Arc::new(page)))
    }

    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Own(own) => own.name(),
            Self::Page(page) => page.name(),
        }
    }

    #[must_use]
    pub fn driver(&self) -> Box<dyn Driver> {
        match self {
            Self::Own(Own::Claude) => Box::new(claude::Claude::default()),
            Self::Own(Own::Codex) => Box::new(codex::Codex::default()),
            Self::Own(Own::Gemini) => Box::new(gemini::Gemini::default()),
            Self::Page(page) => page.driver(),
        }
    }
}
