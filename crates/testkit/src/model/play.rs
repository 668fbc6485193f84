//! Plays one reply: step by step, in the vendor's words, and tells the truth about it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::line::{self, Gone, Line};
use super::wire::{Stop, Vendor, Wire};
use super::{Stage, What};
use crate::scenario::{Failure, Pace, Step};

/// Where the numbers in the ids of replies beside the conversation start. No script has so many turns.
const BESIDE: u64 = 9000;

/// A request to answer.
#[derive(Debug)]
pub(super) struct Turn {
    pub number: u64,
    pub vendor: Vendor,
    pub key: String,
    pub path: String,
    pub body: Value,
    pub line: Line,
}

struct Player {
    number: u64,
    vendor: Vendor,
    line: Line,
    wire: Box<dyn Wire>,
    stage: Arc<Stage>,
    streamed: bool,
    begun: bool,
    stop: Stop,
}

/// Whether there is more to play.
enum Next {
    Step,
    End,
}

pub(super) async fn play(turn: Turn, stage: Arc<Stage>) {
    let Turn { number, vendor, key, path, body, line } = turn;
    let asked = vendor.asked(&path, &body);
    let turn = match asked.side {
        Some(_) => BESIDE + number,
        None => stage.turns.fetch_add(1, Ordering::Relaxed) + 1,
    };
    let wire = vendor.wire(turn, &body, &stage.project);
    let publish = |what| stage.truth.publish(number, what);
    let steps = match asked.side {
        Some(answer) => {
            publish(What::Side { vendor, model: asked.model, about: asked.user });
            vec![Step::Say { text: answer, pace: None }]
        }
        None => {
            let (user, results) = (asked.user, asked.results);
            publish(What::Request { vendor, model: asked.model, key, user: user.clone(), results: results.clone() });
            let mut script = stage.script();
            let expected = script.expected();
            script.reply(&user, &results).unwrap_or_else(|| {
                publish(What::Unexpected { user, results, expected });
                vec![Step::Say { text: "The script has no reply to this.".into(), pace: None }]
            })
        }
    };
    let stage = Arc::clone(&stage);
    let mut player =
        Player { number, vendor, line, wire, stage, streamed: asked.streamed, begun: false, stop: Stop::Done };
    if player.perform(&steps).await.is_err() {
        player.publish(What::Disconnected);
    }
}

impl Player {
    async fn perform(&mut self, steps: &[Step]) -> Result<(), Gone> {
        for step in steps {
            if let Next::End = self.step(step).await? {
                return Ok(());
            }
        }
        if self.streamed {
            self.begin().await?;
            let end = self.wire.close(self.stop);
            // Published before it is sent: an agent must not be able to act on it before we said so.
            self.publish(What::Finished(self.stop));
            return self.line.send(end).await;
        }
        let whole = self.wire.whole(self.stop);
        self.publish(What::Finished(self.stop));
        self.line.answer(line::json(200, &[], &whole))
    }

    async fn step(&mut self, step: &Step) -> Result<Next, Gone> {
        match step {
            Step::Say { text, pace } => self.say(text, *pace).await?,
            Step::Think(text) => {
                self.begin().await?;
                let thought = self.wire.think(text);
                self.send(thought).await?;
            }
            Step::Call(tool) => {
                self.begin().await?;
                let (calls, bytes) = self.wire.call(tool);
                for called in calls {
                    self.publish(What::Called(called));
                }
                self.stop = Stop::Tools;
                self.send(bytes).await?;
            }
            Step::Refuse(text) => {
                self.say(text, None).await?;
                self.stop = Stop::Refused;
            }
            Step::Tokens(tokens) => self.wire.tokens(*tokens),
            Step::Pause(time) => self.while_there(tokio::time::sleep(*time)).await?, // tidy: what the script says
            Step::Wait(name) => {
                self.publish(What::Waiting(name.clone()));
                let signal = self.stage.signal(name);
                let permit = self.while_there(signal.acquire()).await?;
                permit.map_err(|_| Gone)?.forget();
            }
            Step::Fail(failure) => return self.fail(failure).await,
            Step::Cut => {
                self.publish(What::Cut);
                self.line.cut().await?;
                return Ok(Next::End);
            }
            Step::Hang => {
                self.publish(What::Hanging);
                self.line.closed().await;
                return Err(Gone);
            }
        }
        Ok(Next::Step)
    }

    async fn say(&mut self, text: &str, pace: Option<Pace>) -> Result<(), Gone> {
        self.begin().await?;
        for word in text.split_inclusive(' ') {
            let bytes = self.wire.text(word);
            self.send(bytes).await?;
            if let Some(Pace(time)) = pace {
                self.while_there(tokio::time::sleep(time)).await?; // tidy: the pace of the script
            }
        }
        let end = self.wire.end_text();
        self.send(end).await
    }

    async fn fail(&mut self, failure: &Failure) -> Result<Next, Gone> {
        self.publish(What::Failed(failure.status));
        if self.begun && self.streamed {
            let bytes = self.wire.fail(failure);
            self.line.send(bytes).await?;
        } else {
            let refusal = self.vendor.refusal(failure);
            self.line.answer(line::json(refusal.status, &refusal.headers, &refusal.body))?;
        }
        Ok(Next::End)
    }

    /// Says that there will be a reply, before its first word.
    async fn begin(&mut self) -> Result<(), Gone> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let opening = self.wire.open();
        if !self.streamed {
            return Ok(());
        }
        self.line.open()?;
        self.publish(What::FirstByte);
        self.line.send(opening).await
    }

    async fn send(&mut self, bytes: String) -> Result<(), Gone> {
        if self.streamed { self.line.send(bytes).await } else { Ok(()) }
    }

    async fn while_there<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Gone> {
        tokio::select! {
            done = work => Ok(done),
            () = self.line.closed() => Err(Gone),
        }
    }

    fn publish(&self, what: What) {
        self.stage.truth.publish(self.number, what);
    }
}
