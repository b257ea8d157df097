//! The main loop: reads messages and hands them to the worker, so that the client never waits for one to be taken.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use kukla::syntax::Problem;
use kukla::world::World;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::InitializeParams;
use rustc_hash::FxHashMap;

use crate::capabilities;
use crate::dispatch;
use crate::log::Log;
use crate::outbox::{Outbox, Refusal};
use crate::session::Session;
use crate::watch;

/// The options of a server.
pub struct ServerOptions {
    /// The world below the open texts.
    pub world: Arc<dyn World>,
    /// The node whose values are shown.
    pub node: Option<String>,
    /// Where the messages of the session are logged.
    pub log: Option<Box<dyn Write + Send>>,
    /// Draws the graph of a catalog as SVG, for `kukla.preview`.
    pub draw: Option<Draw>,
}

/// Draws the graph of a catalog.
pub type Draw = fn(&kukla::catalog::CatalogGraph) -> String;

/// The requests that have no answer yet, and whether the client has withdrawn them.
#[derive(Clone, Debug, Default)]
pub struct OpenRequests(Arc<Mutex<FxHashMap<RequestId, bool>>>);

impl OpenRequests {
    fn change<T>(&self, change: impl FnOnce(&mut FxHashMap<RequestId, bool>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, id: RequestId) {
        self.change(|open| open.insert(id, false));
    }

    fn cancel(&self, id: &RequestId) {
        self.change(|open| {
            if let Some(is_cancelled) = open.get_mut(id) {
                *is_cancelled = true;
            }
        });
    }

    /// Whether the client has withdrawn a request.
    pub fn is_cancelled(&self, id: &RequestId) -> bool {
        self.change(|open| open.get(id).copied().unwrap_or(false))
    }

    /// Removes a request that is about to be answered.
    pub fn remove(&self, id: &RequestId) {
        self.change(|open| open.remove(id));
    }
}

/// Serves one client until it disconnects. The result is whether it asked for that.
pub fn serve(connection: Connection, options: ServerOptions) -> Result<bool, Problem> {
    let log = options.log.map(Log::new).unwrap_or_default();
    let Connection { sender, receiver } = connection;
    let outbox = Outbox::new(sender, log.clone());
    let mut server = Server {
        outbox,
        open: OpenRequests::default(),
        worker: None,
        is_shutting_down: false,
        world: options.world,
        node: options.node,
        draw: options.draw,
    };
    for message in &receiver {
        log.message("client", &message);
        match message {
            Message::Request(request) => server.request(request)?,
            Message::Notification(notification) if notification.method == "exit" => break,
            Message::Notification(notification) => server.notification(notification),
            // Nothing depends on the answers of the client.
            Message::Response(_) => {}
        }
    }
    if let Some(worker) = server.worker.take() {
        let _ = worker.tasks.send(Task::End);
        let _ = worker.thread.join();
    }
    Ok(server.is_shutting_down)
}

/// Something for the worker to do.
#[derive(Debug)]
enum Task {
    Request(Request),
    Notification(Notification),
    /// Files on the disk have changed, as the system reports.
    Files(Vec<PathBuf>),
    /// The system reports changes of files from now on.
    Watching,
    /// The session is over.
    End,
}

/// The thread that works on tasks.
struct Worker {
    tasks: Sender<Task>,
    thread: std::thread::JoinHandle<()>,
    /// Files are watched until it is dropped.
    _watching: Option<Sender<()>>,
}

struct Server {
    outbox: Outbox,
    open: OpenRequests,
    worker: Option<Worker>,
    is_shutting_down: bool,
    world: Arc<dyn World>,
    node: Option<String>,
    draw: Option<Draw>,
}

/// The stack of the worker.
const STACK: usize = 16 << 20;

impl Server {
    fn request(&mut self, request: Request) -> Result<(), Problem> {
        let refuse = |code: ErrorCode, message: &str| Refusal { code: code as i32, message: message.into() };
        match request.method.as_str() {
            "initialize" if self.worker.is_some() => {
                let refusal = refuse(ErrorCode::InvalidRequest, "the server is initialized already");
                self.outbox.respond(request.id, Err(refusal));
            }
            "initialize" => return self.initialize(request),
            "shutdown" => {
                self.is_shutting_down = true;
                self.outbox.respond(request.id, Ok(serde_json::Value::Null));
            }
            _ if self.is_shutting_down => {
                let refusal = refuse(ErrorCode::InvalidRequest, "the server is shutting down");
                self.outbox.respond(request.id, Err(refusal));
            }
            _ => match &self.worker {
                Some(Worker { tasks, .. }) => {
                    self.open.add(request.id.clone());
                    // The worker ends after this loop.
                    let _ = tasks.send(Task::Request(request));
                }
                None => {
                    let refusal = refuse(ErrorCode::ServerNotInitialized, "the server is not initialized");
                    self.outbox.respond(request.id, Err(refusal));
                }
            },
        }
        Ok(())
    }

    fn notification(&mut self, notification: Notification) {
        if notification.method == "$/cancelRequest" {
            let id = notification.params.get("id");
            let id = match id {
                Some(serde_json::Value::Number(number)) => {
                    number.as_i64().and_then(|id| i32::try_from(id).ok()).map(RequestId::from)
                }
                Some(serde_json::Value::String(text)) => Some(RequestId::from(text.clone())),
                _ => None,
            };
            if let Some(id) = id {
                self.open.cancel(&id);
            }
        } else if let Some(Worker { tasks, .. }) = &self.worker {
            let _ = tasks.send(Task::Notification(notification));
        }
    }

    fn initialize(&mut self, request: Request) -> Result<(), Problem> {
        let params: InitializeParams = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => {
                self.outbox.respond(request.id, Err(Refusal::invalid(error.to_string())));
                return Ok(());
            }
        };
        let client = capabilities::Client::of(&params);
        let answer = capabilities::answer(&client);
        let mut session = Session::new(
            Arc::clone(&self.world),
            client,
            &params,
            self.node.clone(),
            self.outbox.clone(),
            self.open.clone(),
        );
        session.draw = self.draw;
        let (tasks, receiver) = unbounded();
        let is_blind = !session.client.watches_files;
        let watching = is_blind.then(|| watch_files(session.folders().to_vec(), &tasks));
        let worker = std::thread::Builder::new().name("worker".into()).stack_size(STACK);
        let thread = worker
            .spawn(move || work(session, &receiver))
            .map_err(|error| Problem::from_io("cannot start the worker", &error))?;
        self.worker = Some(Worker { tasks, thread, _watching: watching });
        self.outbox.respond(request.id, Ok(answer));
        Ok(())
    }
}

/// Reports changes of files to the worker until the result is dropped. Many directories take time to watch, so that happens on a thread of
/// its own.
fn watch_files(folders: Vec<PathBuf>, tasks: &Sender<Task>) -> Sender<()> {
    let (events, begun) = (tasks.clone(), tasks.clone());
    let (end, ended) = unbounded::<()>();
    let run = move || {
        // The worker may have ended before.
        let send = move |paths| drop(events.send(Task::Files(paths)));
        if let Ok(watcher) = watch::watch(&folders, send) {
            let _ = begun.send(Task::Watching);
            let _ = ended.recv();
            drop(watcher);
        }
    };
    // Without a watcher, files are looked at again from time to time.
    let _ = std::thread::Builder::new().name("watcher".into()).spawn(run);
    end
}

/// Works on tasks in their order. What can wait is done when there are none.
fn work(mut session: Session, tasks: &Receiver<Task>) {
    loop {
        let task = match tasks.try_recv() {
            Ok(task) => task,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                session.catch_up();
                match tasks.recv() {
                    Ok(task) => task,
                    Err(_) => return,
                }
            }
        };
        match task {
            Task::Request(request) => dispatch::request(&mut session, request),
            Task::Notification(notification) => dispatch::notification(&mut session, notification),
            Task::Files(paths) => session.paths_changed(&paths),
            Task::Watching => session.client.watches_files = true,
            Task::End => return,
        }
    }
}
