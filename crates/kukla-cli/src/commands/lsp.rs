//! `kukla lsp`: the language server.

use std::fs::File;
use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use kukla::DiskWorld;
use kukla::syntax::Problem;
use kukla_lsp::{ServerOptions, serve, transport};

use crate::output::errln;
use crate::render::graph;
use crate::{CommandResult, ExitKind};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Speak the protocol on standard input and output; this is the default, and editors pass it by habit
    #[arg(long, conflicts_with = "listen")]
    stdio: bool,
    /// Wait for an editor on ADDRESS, such as 127.0.0.1:4389, instead of using standard input and output
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Node whose facts and data are shown [default: the one that the editor chooses]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// Write all messages to FILE, for bug reports
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Serves one editor.
pub fn run(args: &Args) -> CommandResult {
    crate::make_pool();
    let log = match &args.log {
        Some(path) => {
            let file = File::create(path).map_err(|error| Problem::io("write", path, &error))?;
            Some(Box::new(file) as Box<dyn Write + Send>)
        }
        None => None,
    };
    let options = ServerOptions {
        world: Arc::new(DiskWorld::default()),
        node: args.node.clone(),
        log,
        draw: Some(graph::svg),
    };
    let cannot_exchange =
        |error: std::io::Error| Problem::from_io("cannot exchange messages with the editor", &error);
    let (connection, threads) = match args.listen {
        Some(address) => {
            let cannot_listen = |error: std::io::Error| Problem::from_io("cannot listen", &error).on(address);
            // The system chooses a port for port 0, so the address is printed.
            let listener = TcpListener::bind(address).map_err(cannot_listen)?;
            errln!("listening on {}", listener.local_addr().map_err(cannot_listen)?);
            let (stream, _) = listener.accept().map_err(cannot_listen)?;
            let writer = stream.try_clone().map_err(cannot_listen)?;
            transport::connect(BufReader::new(stream), writer)
        }
        None => transport::connect(BufReader::new(std::io::stdin()), std::io::stdout()),
    }
    .map_err(cannot_exchange)?;
    let is_orderly = serve(connection, options)?;
    threads.join().map_err(cannot_exchange)?;
    Ok(if is_orderly { ExitKind::Success } else { ExitKind::Findings })
}
