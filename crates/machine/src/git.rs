//! The branch a folder is on, without asking git.

use std::path::{Path, PathBuf};

use crate::regular;

/// Nothing outside a repository. A commit that no branch names is told by its beginning.
#[must_use]
pub fn branch(cwd: &Path) -> Option<String> {
    let folder = cwd.ancestors().find_map(git_folder)?;
    let head = regular::read_to_string(&folder.join("HEAD"), regular::SMALL).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => head.get(..12).map(str::to_owned),
    }
}

/// A folder, or in a worktree a file that names one.
fn git_folder(project: &Path) -> Option<PathBuf> {
    let own = project.join(".git");
    if own.is_dir() {
        return Some(own);
    }
    let text = regular::read_to_string(&own, regular::SMALL).ok()?;
    Some(project.join(text.strip_prefix("gitdir:")?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn branches() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("shop");
        let write = |path: &str, text: &str| {
            let path = project.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(branch(&project), None);
        write(".git/HEAD", "ref: refs/heads/fix/login\n");
        write("src/x", "");
        assert_eq!(branch(&project).as_deref(), Some("fix/login"));
        assert_eq!(branch(&project.join("src")).as_deref(), Some("fix/login"), "from below too");
        write(".git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
        assert_eq!(branch(&project).as_deref(), Some("0123456789ab"));
        write(".git/worktrees/two/HEAD", "ref: refs/heads/two\n");
        write("two/.git", "gitdir: ../.git/worktrees/two\n");
        assert_eq!(branch(&project.join("two")).as_deref(), Some("two"));
    }
}
