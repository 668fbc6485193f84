//! A network that can fail: connections go through it, until they are cut.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    cut: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// To `http://host:port`.
    pub(crate) fn to(url: &str) -> Self {
        let target = url.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self { port: listener.local_addr().unwrap().port(), shared: Arc::default() };
        let shared = proxy.shared.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !shared.cut.load(Ordering::SeqCst)
                    && let Ok(server) = TcpStream::connect(&target)
                {
                    shared.carry(&client, &server);
                }
            }
        });
        proxy
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Ends all connections, and those that are tried until it is opened again.
    pub(crate) fn cut(&self) {
        self.shared.cut.store(true, Ordering::SeqCst);
        for stream in self.shared.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub(crate) fn open(&self) {
        self.shared.cut.store(false, Ordering::SeqCst);
    }
}

impl Shared {
    fn carry(&self, client: &TcpStream, server: &TcpStream) {
        let clone = |stream: &TcpStream| stream.try_clone().unwrap();
        for (from, to) in [(clone(client), clone(server)), (clone(server), clone(client))] {
            self.streams.lock().unwrap().push(clone(&from));
            std::thread::spawn(move || pump(from, to));
        }
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 4096];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return to.shutdown(Shutdown::Write);
        }
        to.write_all(&buffer[..count])?;
    }
}
