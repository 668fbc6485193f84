//! Answers that wait until the status they speak of has been published, so that nobody who got one sees an older status.

use tokio::sync::oneshot;

#[derive(Default)]
pub(crate) struct Answers(Vec<Box<dyn FnOnce() + Send>>);

impl Answers {
    pub(crate) fn push<T: Send + 'static>(&mut self, to: oneshot::Sender<T>, value: T) {
        // Whoever asked may have gone.
        self.0.push(Box::new(move || drop(to.send(value))));
    }

    pub(crate) fn send(&mut self) {
        self.0.drain(..).for_each(|answer| answer());
    }
}
