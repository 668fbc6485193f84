//! How long pictures take, for the benchmark: from the model to bytes that the terminal has.

use std::path::PathBuf;
use std::time::Instant;

pub(super) struct Frames {
    file: Option<PathBuf>,
    micros: Vec<u128>,
}

impl Frames {
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, micros: Vec::new() }
    }

    pub(super) fn time<T>(&mut self, paint: impl FnOnce() -> T) -> T {
        if self.file.is_none() {
            return paint();
        }
        let begin = Instant::now();
        let painted = paint();
        self.micros.push(begin.elapsed().as_micros());
        painted
    }

    pub(super) fn write(&self) {
        if let Some(file) = &self.file {
            let lines: Vec<String> = self.micros.iter().map(u128::to_string).collect();
            // Whoever measures misses it.
            let _ = std::fs::write(file, lines.join("\n"));
        }
    }
}
