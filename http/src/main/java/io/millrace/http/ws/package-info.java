/// The protocol of WebSocket (RFC 6455) and its compression (RFC 7692): frames in, frames out, what they may be, and
/// what ends agree on. It knows nothing of connections, threads and handshakes.
@NullMarked
package io.millrace.http.ws;

import org.jspecify.annotations.NullMarked;
