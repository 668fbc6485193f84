//! The environment and the arguments as the kernel shows them, overwritten in place.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

/// Overwrites the values of these variables where the process was started with them, and removes them from the
/// environment. Call before there is another thread.
#[allow(unsafe_code)]
pub(super) fn variables(names: &[&str]) {
    #[cfg(target_os = "linux")]
    {
        use std::ffi::{CStr, c_char};
        // SAFETY: the C library has this array, and it is read below where no other thread is.
        unsafe extern "C" {
            static environ: *const *mut c_char;
        }
        // SAFETY: no other thread reads or changes the environment. The array ends with a null pointer, its entries are
        // strings that end with a zero byte and lie in memory that is the process's own to write, and only bytes before
        // that zero are written.
        unsafe {
            let mut entry = environ;
            while !entry.is_null() && !(*entry).is_null() {
                let text = CStr::from_ptr(*entry).to_bytes();
                let is_named =
                    |name: &&&str| text.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
                if let Some(name) = names.iter().find(is_named) {
                    let (from, length) = (name.len() + 1, text.len());
                    (*entry).add(from).write_bytes(0, length - from);
                }
                entry = entry.add(1);
            }
        }
    }
    for name in names {
        // SAFETY: there is no other thread.
        unsafe { std::env::remove_var(name) };
    }
}

/// Overwrites tokens among the arguments where the process was started with them. `args` are those arguments, and
/// `covered` says which and from which byte on. Leaves everything as it is where the kernel does not show what it should.
#[allow(unsafe_code)]
pub(super) fn arguments(args: &[OsString], covered: &[(usize, usize)], cover: u8) {
    if covered.is_empty() {
        return;
    }
    let Some((start, end)) = arguments_place() else { return };
    let length: usize = args.iter().map(|arg| arg.len() + 1).sum();
    if end.checked_sub(start) != Some(length) {
        return;
    }
    // SAFETY: the kernel says that the arguments lie there, in memory that is the process's own to write, and they are as
    // long as those that were read. No reference to them is held: `args` are copies.
    let place = unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut::<u8>(start), length) };
    let mut at = 0;
    for (number, arg) in args.iter().enumerate() {
        let bytes = arg.as_bytes();
        if let Some((_, from)) = covered.iter().find(|(covered, _)| *covered == number)
            && place.get(at..at + bytes.len()) == Some(bytes)
        {
            place[at + from..at + bytes.len()].fill(cover);
        }
        at += bytes.len() + 1;
    }
}

/// Reads where the arguments lie: fields 48 and 49 of `/proc/self/stat`.
fn arguments_place() -> Option<(usize, usize)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().skip(48 - 3);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok().filter(|end| *end > 0)?))
}

/// Sets variables on the heap. Call before there is another thread.
#[allow(unsafe_code)]
pub(super) fn set(variables: &[(OsString, OsString)]) {
    for (name, value) in variables {
        // SAFETY: there is no other thread.
        unsafe { std::env::set_var(name, value) };
    }
}

/// Removes them again. Call before there is another thread.
#[allow(unsafe_code)]
pub(super) fn unset(variables: &[(OsString, OsString)]) {
    for (name, _) in variables {
        // SAFETY: there is no other thread.
        unsafe { std::env::remove_var(name) };
    }
}
