//! What was published, held against the script and against the agent's own word.

use std::time::{Duration, SystemTime};

use super::play::{Expected, Stage};
use super::{Delay, Tells};

/// Two changes further apart are not the same.
const APART: Duration = Duration::from_secs(3);

/// The states that must have been published, by scene.
pub(super) type Plan = [(&'static str, Vec<Expected>)];

/// What was not published as it should be, and in which scene that begins.
pub(super) fn differences(expected: &Plan, published: &[(SystemTime, String)]) -> Option<String> {
    let names: Vec<&str> = published.iter().map(|(_, name)| name.as_str()).collect();
    let all: Vec<(&str, Expected)> =
        expected.iter().flat_map(|(scene, states)| states.iter().map(move |state| (*scene, *state))).collect();
    let mut furthest = (0, 0);
    if fits(&all, &names, (0, 0), &mut furthest) {
        return None;
    }
    let (place, count) = furthest;
    let (scene, wanted) = all.get(place).map_or(("after all", "nothing"), |(scene, wanted)| (*scene, wanted.state));
    let got = names.get(count..).unwrap_or_default().iter().take(8).copied().collect::<Vec<_>>().join(" ");
    Some(format!("{scene}: expected {wanted}, got {got}"))
}

/// Whether from here on all that is expected was published, and nothing else.
fn fits(expected: &[(&str, Expected)], published: &[&str], at: (usize, usize), furthest: &mut (usize, usize)) -> bool {
    let (place, count) = at;
    *furthest = (*furthest).max(at);
    let Some((_, Expected { state, optional })) = expected.get(place) else { return count == published.len() };
    let next = published.get(count).copied();
    if next == Some(state) && fits(expected, published, (place + 1, count + 1), furthest) {
        return true;
    }
    // Where no source tells of both at once, idle comes first and the reason follows.
    let says_why =
        matches!(*state, "error" | "parked") && next == Some("idle") && published.get(count + 1) == Some(state);
    if says_why && fits(expected, published, (place + 1, count + 2), furthest) {
        return true;
    }
    *optional && fits(expected, published, (place + 1, count), furthest)
}

/// For each change the agent timed, how much later the same was published. Which belongs to which is what lets the most
/// of them be told, and each the soonest.
pub(super) fn delays(
    stage: &Stage,
    tells: Tells,
    published: &[(SystemTime, String)],
    changes: &[(SystemTime, &'static str)],
) -> Vec<Delay> {
    let mut interrupts = stage.interrupts.iter().peekable();
    let mut delays = Vec::new();
    for (change, said) in pairs(published, changes) {
        let ((at, name), (said_at, _)) = (changes[change], &published[said]);
        let stopped = name == "idle" && interrupts.next_if(|pressed| **pressed <= at).is_some();
        let asked = change.checked_sub(1).is_some_and(|before| changes[before].1 == "prompt");
        let kind = match name {
            _ if stopped => "interrupt",
            "working" if asked => "answered",
            name => name,
        };
        let by = said_at.duration_since(at).unwrap_or_default();
        delays.push(Delay { kind, scene: stage.scene_at(at), by, bound: tells.bound(kind) });
    }
    // The agent times its first status long before it writes it anywhere.
    delays.retain(|delay| delay.scene != "start" && is_timed(stage, delay.scene, published, changes));
    delays
}

/// Of states that may or may not be told, nobody knows which the agent timed, unless it timed as many as were told.
fn is_timed(
    stage: &Stage,
    scene: &str,
    published: &[(SystemTime, String)],
    changes: &[(SystemTime, &'static str)],
) -> bool {
    let all_told = |(name, states): &(&str, Vec<Expected>)| *name == scene && states.iter().all(|it| !it.optional);
    let told = published.iter().filter(|(at, _)| stage.scene_at(*at) == scene).count();
    let timed = changes.iter().filter(|(at, _)| stage.scene_at(*at) == scene).count();
    stage.expected.iter().any(all_told) || told == timed
}

/// Pairs of the same state, in order, so that what is left over and how far each is apart cost the least.
pub(super) fn pairs(published: &[(SystemTime, String)], changes: &[(SystemTime, &'static str)]) -> Vec<(usize, usize)> {
    let apart = |change: usize, said: usize| -> Option<Duration> {
        let ((at, name), (said_at, state)) = (changes[change], &published[said]);
        let same = match name {
            "idle" => matches!(state.as_str(), "idle" | "error" | "parked"),
            "interrupt" => state == "idle",
            name => state == name,
        };
        let apart = said_at.duration_since(at).unwrap_or_else(|error| error.duration());
        (same && apart < APART).then_some(apart)
    };
    // The least cost of all that follows.
    let mut cost = vec![vec![Duration::ZERO; published.len() + 1]; changes.len() + 1];
    for change in (0..=changes.len()).rev() {
        for said in (0..=published.len()).rev() {
            let skipped = [
                (change < changes.len()).then(|| cost[change + 1][said] + APART / 2),
                (said < published.len()).then(|| cost[change][said + 1] + APART / 2),
                (change < changes.len() && said < published.len())
                    .then(|| Some(cost[change + 1][said + 1] + apart(change, said)?))
                    .flatten(),
            ];
            cost[change][said] = skipped.into_iter().flatten().min().unwrap_or_default();
        }
    }
    let (mut change, mut said, mut pairs) = (0, 0, Vec::new());
    while change < changes.len() && said < published.len() {
        let now = cost[change][said];
        if apart(change, said).is_some_and(|apart| now == cost[change + 1][said + 1] + apart) {
            pairs.push((change, said));
            (change, said) = (change + 1, said + 1);
        } else if now == cost[change + 1][said] + APART / 2 {
            change += 1;
        } else {
            said += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found() {
        let check = |words: &'static str, published: &[&str], differs: Option<&str>| {
            let state =
                |word: &'static str| Expected { state: word.trim_end_matches('?'), optional: word.ends_with('?') };
            let expected = [("scene", words.split(' ').map(state).collect())];
            let published: Vec<_> = published.iter().map(|name| (SystemTime::UNIX_EPOCH, (*name).to_owned())).collect();
            assert_eq!(differences(&expected, &published).as_deref(), differs, "{words}: {published:?}");
        };
        check("working idle", &["working", "idle"], None);
        check("working idle", &["working", "idle", "working"], Some("after all: expected nothing, got working"));
        check("working idle", &["working", "prompt", "idle"], Some("scene: expected idle, got prompt idle"));
        check("working idle", &["working"], Some("scene: expected idle, got "));
        check("working? prompt", &["prompt"], None);
        check("working? prompt", &["working", "prompt"], None);
        check("working? idle? working idle", &["working", "idle"], None);
        check("working? idle? working idle", &["working", "idle", "working", "idle"], None);
        check("working error", &["working", "idle", "error"], None);
        check("working error", &["working", "idle"], Some("scene: expected error, got idle"));
    }

    #[test]
    fn changes_and_words_about_them() {
        let at = |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
        let said =
            |rows: &[(u64, &str)]| rows.iter().map(|(ms, name)| (at(*ms), (*name).to_owned())).collect::<Vec<_>>();
        let changes = [(at(1000), "working"), (at(1100), "idle"), (at(1150), "working"), (at(2000), "idle")];
        assert_eq!(pairs(&said(&[(1010, "working"), (2500, "idle")]), &changes), [(0, 0), (3, 1)]);
        assert_eq!(
            pairs(&said(&[(990, "working"), (1110, "error"), (1200, "working")]), &changes),
            [(0, 0), (1, 1), (2, 2)]
        );
        assert_eq!(pairs(&said(&[(9000, "working")]), &changes), []);
    }
}
