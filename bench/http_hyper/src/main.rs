//! The HTTP workloads of the lab with hyper on one thread of Tokio: GET /plaintext, and nothing else.
//! Usage: http_hyper PORT ADDRESS http1|http2 [CHAIN KEY]. Port 0 takes a free one; with a chain and a key, two files
//! in PEM, it speaks TLS. It speaks one version: HTTP/1.1, or HTTP/2, in clear text by prior knowledge.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, CONTENT_TYPE, SERVER};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

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

fn tls(chain: &str, key: &str, protocol: &str) -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(chain)
        .expect("a chain")
        .map(|certificate| certificate.expect("a certificate"))
        .collect();
    let key = PrivateKeyDer::from_pem_file(key).expect("a key");
    let mut config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a chain and its key");
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

/// Responses to pipelined requests leave together, as they do with most peers. A client that goes away is no news.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + 'static, is_http2: bool) {
    let stream = TokioIo::new(stream);
    if is_http2 {
        let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service_fn(answer)).await;
    } else {
        let _ = http1::Builder::new().pipeline_flush(true).serve_connection(stream, service_fn(answer)).await;
    }
}

async fn run(address: &str, is_http2: bool, tls: Option<TlsAcceptor>) -> std::io::Result<()> {
    let listener = listen(address.parse().expect("an address"))?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        // Out of descriptors, or a client that is gone already: the next one may fare better.
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true)?;
        let tls = tls.clone();
        tokio::spawn(async move {
            match tls {
                None => serve(stream, is_http2).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(stream, is_http2).await;
                    }
                }
            }
        });
    }
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 4 && words.len() != 6 {
        eprintln!("http_hyper PORT ADDRESS http1|http2 [CHAIN KEY]");
        std::process::exit(2);
    }
    let is_http2 = words[3] == "http2";
    let protocol = if is_http2 { "h2" } else { "http/1.1" };
    let tls = (words.len() == 6).then(|| tls(&words[4], &words[5], protocol));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(run(&format!("{}:{}", words[2], words[1]), is_http2, tls))
}
