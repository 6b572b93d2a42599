package io.millrace.http.message;

import io.millrace.http.Headers;
import io.millrace.loop.TunnelEnd;
import io.millrace.loop.TunnelSide;

/// A connection to another server that has changed its protocol (RFC 9110 section 7.8), a stream of one that has
/// (RFC 8441), or a connection that was made for `CONNECT`: its further bytes are only for the client that asked for
/// it. It is paused.
///
/// @param status 101 for a change, 200 for `CONNECT`
/// @param headers of the 101 response; those of a stream as HTTP/1.1 has them
/// @param witness told of its close by its new owner, on its loop
public record Upgraded(int status, Headers headers, TunnelEnd end, TunnelSide.Witness witness) implements Takeover {
    @Override
    public void begin(Peer peer) {
        ClientTunnel.join(peer, this);
    }

    @Override
    public void abort() {
        end.abort();
    }
}
