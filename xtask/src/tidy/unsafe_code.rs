//! `unsafe` lives in one place, and each use of it says why it is sound.

use super::tree::File;
use super::{Finding, Rule};

const PLACE: Rule =
    Rule { name: "unsafe-place", why: "memory safety is argued in one small crate, below crates/terminal/src" };
const REASON: Rule =
    Rule { name: "unsafe-reason", why: "a reader must be able to check the argument where the code is" };

/// A statement may start a few lines above the word itself; a comment block may be as long as it needs to be.
const CODE_LINES_ABOVE: usize = 3;

pub(super) fn check(file: &File) -> Vec<Finding> {
    let spots = file.code.spots.iter().filter(|spot| spot.path == "unsafe");
    spots
        .filter_map(|spot| {
            if !file.path.starts_with("crates/terminal/src/") {
                return Some(Finding::new(file, spot.line, PLACE, "`unsafe` outside crates/terminal/src"));
            }
            let what = "`unsafe` without a `// SAFETY:` comment (or a `# Safety` section) just above";
            (!has_reason(file, spot.line)).then(|| Finding::new(file, spot.line, REASON, what))
        })
        .collect()
}

fn has_reason(file: &File, line: usize) -> bool {
    let lines: Vec<&str> = file.text.lines().take(line).collect();
    let mut code_lines = 0;
    for line in lines.iter().rev() {
        let comment = line.split_once("//").map_or("", |(_, comment)| comment);
        if comment.contains("SAFETY:") || comment.contains("# Safety") {
            return true;
        }
        if !line.trim_start().starts_with("//") {
            code_lines += 1;
        }
        if code_lines > CODE_LINES_ABOVE {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        crate::tidy::assert_rows(
            check,
            &[
                ("crates/terminal/src/pty.rs", "// SAFETY: fd is open.\nunsafe { f() }\n", &[]),
                (
                    "crates/terminal/src/pty.rs",
                    "// SAFETY: fd is open,\n// and ours.\nlet x =\n  unsafe { f() };\n",
                    &[],
                ),
                ("crates/terminal/src/pty.rs", "/// # Safety\n/// `fd` is open.\nunsafe fn f() {}\n", &[]),
                ("crates/terminal/src/pty.rs", "unsafe { f() }; // SAFETY: fd is open.\n", &[]),
                ("crates/terminal/src/pty.rs", "\nunsafe { f() }\n", &[2]),
                ("crates/terminal/src/pty.rs", "// SAFETY: too far.\na\nb\nc\nunsafe { f() }\n", &[5]),
                ("crates/terminal/src/pty.rs", "let s = \"SAFETY:\";\nunsafe { f() }\n", &[2]),
                ("crates/terminal/src/pty.rs", "// unsafe\nlet s = \"unsafe\";\n", &[]),
                ("crates/terminal/tests/pty.rs", "// SAFETY: not here.\nunsafe { f() }\n", &[2]),
                ("crates/session/src/lib.rs", "m!(unsafe { f() })\n", &[1]),
                ("crates/session/src/lib.rs", "#![allow(unsafe_code)]\n", &[]),
            ],
        );
    }
}
