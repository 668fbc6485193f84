//! A plan as its file has it. The agent may tell an older one: it fills it in before the tool beside it has written the
//! new one, and it is the file that is shown, approved and worked on.

use std::path::Path;

use coop_core::agent::prompt::PromptContext;
use coop_drivers::Driver;

use crate::regular;

/// Longer is no plan.
const LONGEST: u64 = 1 << 20;

/// Only files in the agent's own folder are read: whoever may call a hook may name any.
pub fn refresh(context: &mut PromptContext, driver: &dyn Driver, own: Option<&Path>) {
    let PromptContext::Plan(plan) = context else { return };
    let Some((input, own)) = plan.input.as_mut().zip(own) else { return };
    let Some(text) = driver.plan_file(input).and_then(|path| read(Path::new(path), own)) else { return };
    if let Some(told) = input.get_mut("plan") {
        *told = text.clone().into();
    }
    plan.plan = Some(text);
}

/// Nothing if it cannot be read: what the agent told is then the best there is.
fn read(path: &Path, own: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let is_own = path.starts_with(own.canonicalize().ok()?);
    let text = regular::read_to_string(&path, LONGEST).ok().filter(|_| is_own)?;
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use coop_core::agent::prompt::PlanPrompt;
    use serde_json::json;

    #[test]
    fn the_file_counts_if_it_is_the_agents_own() {
        let driver = coop_drivers::driver("claude").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        for place in [own.join("plan.md"), folder.path().join("other.md")] {
            fs::write(place, "new").unwrap();
        }
        fs::write(own.join("empty.md"), "\n").unwrap();
        for (file, expected) in [
            ("own/plan.md", "new"),
            ("other.md", "old"),
            ("own/../other.md", "old"),
            ("own/empty.md", "old"),
            ("own/missing.md", "old"),
            ("own", "old"),
        ] {
            let input = json!({ "plan": "old", "planFilePath": folder.path().join(file) });
            let plan = PlanPrompt { plan: Some("old".into()), input: Some(input), ..PlanPrompt::default() };
            let mut context = PromptContext::Plan(plan);
            refresh(&mut context, driver.as_ref(), Some(&own));
            let PromptContext::Plan(plan) = context else { unreachable!() };
            assert_eq!(plan.plan.as_deref(), Some(expected), "{file}");
            assert_eq!(plan.input.unwrap()["plan"], expected, "{file}");
        }
    }
}
