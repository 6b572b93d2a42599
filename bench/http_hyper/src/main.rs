//! The HTTP workloads of the lab with hyper on one thread of Tokio: GET /plaintext, and nothing else.
//! Usage: http_hyper PORT ADDRESS http1|http2. Port 0 takes a free one; HTTP/2 is spoken by prior knowledge.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, CONTENT_TYPE, SERVER};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

const BODY: Bytes = Bytes::from_static(b"Hello, World!");

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.uri().path() != "/plaintext" {
        let mut missing = Response::new(Full::default());
        *missing.status_mut() = StatusCode::NOT_FOUND;
        return Ok(missing);
    }
    let mut response = Response::new(Full::new(BODY));
    let headers = response.headers_mut();
    headers.insert(SERVER, HeaderValue::from_static("hyper"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}

/// Tokio's own backlog is 128, and other servers of the lab have 1024.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(1024)
}

/// Responses to pipelined requests leave together, as they do with most peers.
fn serve_http1(stream: TcpStream) {
    let connection = http1::Builder::new()
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), service_fn(answer));
    tokio::spawn(async move {
        // A client that goes away is no news.
        let _ = connection.await;
    });
}

fn serve_http2(stream: TcpStream) {
    let connection =
        http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service_fn(answer));
    tokio::spawn(async move {
        let _ = connection.await;
    });
}

async fn serve(address: &str, is_http2: bool) -> std::io::Result<()> {
    let listener = listen(address.parse().expect("an address"))?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        // Out of descriptors, or a client that is gone already: the next one may fare better.
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true)?;
        if is_http2 {
            serve_http2(stream);
        } else {
            serve_http1(stream);
        }
    }
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 4 {
        eprintln!("http_hyper PORT ADDRESS http1|http2");
        std::process::exit(2);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(serve(&format!("{}:{}", words[2], words[1]), words[3] == "http2"))
}
