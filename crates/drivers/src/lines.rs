//! Splits a stream of bytes into lines, with a bound on how much of a line is kept.

/// Session logs have lines over 10 MB (images, long tool results); one beyond this bound is skipped to its end.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// Keeps the beginning of a line until its end arrives.
#[derive(Debug)]
pub struct Lines {
    partial: Vec<u8>,
    skipping: bool,
    skipped: u64,
    max: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self::bounded(MAX_LINE)
    }
}

impl Lines {
    #[must_use]
    pub fn bounded(max: usize) -> Self {
        Self { partial: Vec::new(), skipping: false, skipped: 0, max }
    }

    /// Takes the next bytes and calls `each` with every line that is whole now, without its end and unless it is empty.
    /// A line that was too long is told as `None`, so that lines can be counted.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Option<&str>)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, tail) = rest.split_at(end);
            rest = &tail[1..];
            self.end_line(line, &mut each);
        }
        self.keep(rest);
    }

    /// Lines that were too long to keep.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// What has arrived of the line that is not whole yet.
    #[must_use]
    pub fn partial(&self) -> &[u8] {
        &self.partial
    }

    fn end_line(&mut self, line: &[u8], each: &mut impl FnMut(Option<&str>)) {
        self.keep(line);
        if self.skipping {
            self.skipped += 1;
            self.skipping = false;
            each(None);
        } else if !self.partial.is_empty() {
            let text = String::from_utf8_lossy(&self.partial);
            each(Some(text.trim_end_matches('\r')));
        }
        self.partial.clear();
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.skipping {
            return;
        }
        if self.partial.len() + bytes.len() > self.max {
            self.skipping = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(max: usize, chunks: &[&[u8]]) -> (Vec<Option<String>>, u64) {
        let mut lines = Lines::bounded(max);
        let mut found = Vec::new();
        for chunk in chunks {
            lines.push(chunk, |line| found.push(line.map(str::to_owned)));
        }
        (found, lines.skipped())
    }

    /// What arrives, and the lines it has.
    type Row<'a> = (&'a [&'a [u8]], Vec<Option<String>>);

    #[test]
    fn rows() {
        let line = |text: &str| Some(text.to_owned());
        #[rustfmt::skip]
        let rows: [Row<'_>; 6] = [
            (&[b"one\ntwo\nthr"], vec![line("one"), line("two")]),
            (&[b"o", b"ne", b"\n", b"two\r\n"], vec![line("one"), line("two")]),
            (&[b"\n\nx\n"], vec![line("x")]),
            (&[b"much too long\nok\n"], vec![None, line("ok")]),
            (&[b"much ", b"too ", b"long\nok\n"], vec![None, line("ok")]),
            (&[b"\xff\n"], vec![line("\u{fffd}")]),
        ];
        for (chunks, expected) in rows {
            assert_eq!(split(8, chunks).0, expected, "{chunks:?}");
        }
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(text in "[a-c\n]{0,60}", cut in 0usize..60) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            prop_assert_eq!(split(5, &[bytes]), split(5, &[&bytes[..cut], &bytes[cut..]]));
        }
    }
}
