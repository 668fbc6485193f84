//! Keys on what is asked: a dialog, a permission, its input, a plan, questions.

use coop_board::keys::{Action, Place};
use coop_testkit::TestHub;

use super::Then::{Changes, Hides, Shows};
use super::{Walk, several_lines};

/// A dialog of the real agent's start.
pub(super) fn setup(walk: &mut Walk<'_>, hub: &TestHub) {
    use Action::*;
    walk.go("project");
    walk.pane.press("Enter");
    walk.pane.shows("> ( ) 1 Yes");
    walk.steps(
        Place::Setup,
        &[
            (Down, "j", Shows("> ( ) 2 No")),
            (Up, "k", Shows("> ( ) 1 Yes")),
            (Toggle, "Space", Shows("> (•) 1 Yes")),
            (Number, "2", Shows("> (•) 2 No")),
            (Help, "?", Shows("Keys: a dialog")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.shows("> (•) 2 No");
    walk.step(Place::Setup, Back, "Escape", &Shows("Enter answers it"));
    walk.pane.press("Enter");
    walk.pane.shows("> ( ) 1 Yes");
    walk.pane.press("1");
    walk.pane.shows("> (•) 1 Yes");
    walk.step(Place::Setup, Submit, "Enter", &Shows("answer is sent in"));
    hub.session("the dialog answered", |session| session["control"] == "owned" && session["state"] == "idle");
}

pub(super) fn permission(walk: &mut Walk<'_>) {
    use Action::*;
    walk.go("perm-a");
    walk.pane.press("Enter");
    walk.pane.shows("deny and say why");
    walk.pane.resize(60, 12);
    walk.pane.shows("↓");
    walk.steps(
        Place::Permission,
        &[
            (Down, "j", Changes),
            (Up, "k", Changes),
            (PageDown, "PageDown", Changes),
            (PageUp, "PageUp", Changes),
            (Bottom, "G", Shows("made-58")),
            (Top, "g", Hides("made-58")),
            (Help, "?", Shows("Keys: a permission")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.resize(100, 40);
    walk.pane.shows("deny and say why");
    walk.steps(
        Place::Permission,
        &[(Number, "9", Shows("There is no option 9")), (Back, "Escape", Shows("Enter answers it"))],
    );
    walk.pane.press("Enter");
    walk.pane.shows("deny and say why");
    walk.step(Place::Permission, AllowOnce, "y", &Shows("allow once is sent in"));
    walk.pane.press("Enter");
    walk.step(Place::Permission, Undo, "u", &Shows("Taken back"));
    walk.pane.press("Escape");
    for (project, action, key, says) in [
        ("perm-a", AllowOnce, "y", "Allowed"),
        ("perm-b", AllowSession, "s", "for the session is sent in"),
        ("perm-c", AllowPath, "p", "in this project is sent in"),
        ("perm-d", Deny, "n", "Denied"),
    ] {
        walk.go(project);
        walk.pane.press("Enter");
        walk.pane.shows("deny and say why");
        walk.pane.press(key);
        walk.pane.shows(says);
        walk.done.insert((Place::Permission, action));
        walk.pane.until("that it is settled", |screen| {
            (!screen.contains("is sent in") && !screen.contains("on its way")).then_some(())
        });
    }
    walk.go("perm-e");
    walk.pane.press("Enter");
    walk.pane.shows("deny and say why");
    walk.step(Place::Permission, DenyWords, "N", &Shows("Why not"));
    walk.pane.types("not now");
    several_lines(walk, Place::Words);
    walk.step(Place::Words, Back, "Escape", &Hides("Why not"));
    walk.pane.press("N");
    walk.pane.types("not here");
    walk.step(Place::Words, Submit, "Enter", &Shows("Denied"));
}

/// What a tool is run with is changed before it is allowed.
pub(super) fn input(walk: &mut Walk<'_>) {
    use Action::*;
    walk.go("perm-f");
    walk.pane.press("Enter");
    walk.pane.shows("change it first");
    walk.step(Place::Permission, EditInput, "e", &Shows("Run it with this instead"));
    walk.pane.shows("\"command\": \"touch made-00.txt");
    walk.step(Place::Input, Outside, "C-g", &Shows("\"command\": \"touch written.txt"));
    walk.pane.press("Enter");
    walk.pane.shows("changed input is sent in");
    walk.pane.press("u");
    walk.pane.shows("Taken back");
    walk.pane.press("Enter");
    walk.pane.shows("change it first");
    walk.pane.press("e");
    walk.pane.shows("Run it with this instead");
    walk.pane.press("Down End");
    several_lines(walk, Place::Input);
    walk.step(Place::Input, Back, "Escape", &Hides("Run it with this instead"));
    walk.pane.press("e");
    walk.pane.shows("Run it with this instead");
    walk.pane.press("Enter");
    walk.pane.shows("Nothing is changed");
    walk.pane.press("C-u");
    // What is no JSON changes nothing, and stays to be mended.
    for (wrong, why) in [("{", "That is no JSON"), ("[]", "is a JSON object")] {
        walk.pane.types(wrong);
        walk.pane.press("Enter");
        walk.pane.shows(why);
        walk.pane.press("C-u");
    }
    walk.pane.types("{\"command\": \"touch typed.txt\"}");
    walk.step(Place::Input, Submit, "Enter", &Shows("changed input is sent in"));
    walk.pane.shows("Allowed with another input");
}

pub(super) fn plan(walk: &mut Walk<'_>) {
    use Action::*;
    walk.go("plan-a");
    walk.pane.press("Enter");
    walk.pane.shows("y approve");
    walk.pane.resize(60, 12);
    walk.steps(
        Place::Plan,
        &[
            (Down, "j", Changes),
            (Up, "k", Changes),
            (PageDown, "PageDown", Changes),
            (PageUp, "PageUp", Changes),
            (Bottom, "G", Shows("39. step")),
            (Top, "g", Hides("39. step")),
            (Help, "?", Shows("Keys: a plan")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.resize(100, 40);
    walk.pane.shows("y approve");
    walk.steps(
        Place::Plan,
        &[(Number, "9", Shows("There is no option 9")), (Back, "Escape", Shows("Enter answers it"))],
    );
    walk.pane.press("Enter");
    walk.pane.shows("y approve");
    walk.step(Place::Plan, AllowOnce, "y", &Shows("approve is sent in"));
    walk.pane.press("Enter");
    walk.step(Place::Plan, Undo, "u", &Shows("Taken back"));
    walk.pane.press("y");
    walk.pane.shows("Allowed");
    walk.go("plan-b");
    walk.pane.press("Enter");
    walk.pane.shows("y approve");
    walk.step(Place::Plan, DenyWords, "n", &Shows("What is wrong with it"));
    walk.pane.types("shorter");
    walk.pane.press("Enter");
    walk.pane.shows("Denied");
}

pub(super) fn question(walk: &mut Walk<'_>) {
    use Action::*;
    walk.go("quest");
    walk.pane.press("Enter");
    walk.pane.shows("> ( ) 1 Red");
    walk.steps(
        Place::Question,
        &[
            (Down, "j", Shows("> ( ) 2 Blue")),
            (Up, "k", Shows("> ( ) 1 Red")),
            (Toggle, "Space", Shows("(•) 1 Red")),
            (Number, "2", Shows("(•) 2 Blue")),
            (NextPart, "Tab", Shows("> [ ] 1 Top")),
            (PreviousPart, "BTab", Hides("> [ ] 1 Top")),
            (Help, "?", Shows("Keys: a question")),
        ],
    );
    walk.pane.press("Escape");
    walk.pane.shows("(•) 2 Blue");
    walk.step(Place::Question, Other, "o", &Shows("Your answer"));
    walk.pane.types("teal");
    several_lines(walk, Place::Other);
    walk.step(Place::Other, Back, "Escape", &Hides("Your answer"));
    walk.pane.press("o");
    walk.pane.types("green");
    walk.step(Place::Other, Submit, "Enter", &Shows("(•) o green"));
    walk.pane.press("2");
    walk.step(Place::Question, Back, "Escape", &Shows("Enter answers it"));
    walk.pane.press("Enter");
    walk.pane.shows("> ( ) 1 Red");
    walk.pane.press("Enter");
    walk.pane.shows("> [ ] 1 Top");
    walk.step(Place::Question, Submit, "Enter", &Hides("Which parts?"));
}
