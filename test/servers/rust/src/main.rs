//! A server or a client of the official Rust SDK: `rmcp server …` or `rmcp client …`.

// What 2026-07-28 has deprecated is in use for another year.
#![allow(deprecated)]

mod client;
mod server;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let role = args.next();
    let args: Vec<String> = args.collect();
    match role.as_deref() {
        Some("server") => server::serve(&args).await,
        _ => client::walk(&args).await,
    }
}
