package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Origin;
import io.millrace.net.ProtocolError;
import io.millrace.net.Refused;
import io.millrace.net.Stage;
import java.io.IOException;

/// A tunnel through an HTTP proxy (`CONNECT`, RFC 9110 section 9.3.6): the bytes behind this stage go to the
/// requested host and port.
///
/// ```
///   open ── CONNECT host:port ──► ASKED ── 1xx ──► ASKED ── 2xx ──► the bytes of others, both ways
///                                                      └── other ──► fails
/// ```
/// The connection's connect timeout limits it.
///
/// @param fields for the proxy only
public record ConnectTunnel(Origin to, Headers fields) implements Stage {
    private static final HttpLimits LIMITS = HttpLimits.standard();

    @Override
    public Link open(Context context) {
        return new Asking();
    }

    private String authority() {
        var host = to.host().indexOf(':') < 0 ? to.host() : "[" + to.host() + "]";
        return host + ":" + to.port();
    }

    private final class Asking implements Link {
        private final StatusHead head = new StatusHead(LIMITS);
        private boolean isOpen;

        @Override
        public void open(Output wire) {
            var text = new StringBuilder();
            text.append("CONNECT ")
                    .append(authority())
                    .append(" HTTP/1.1\r\nHost: ")
                    .append(authority());
            fields.forEach((name, value) ->
                    text.append("\r\n").append(name).append(": ").append(value));
            wire.writeUtf8(text.append("\r\n\r\n").toString());
        }

        @Override
        public boolean isReady() {
            return isOpen;
        }

        @Override
        public void receive(Input in, Output app, Output wire) throws IOException {
            while (!isOpen && !in.isEmpty()) if (!answered(in)) return;
            if (isOpen) app.move(in);
        }

        /// @return false when more of a head must arrive
        private boolean answered(Input in) throws IOException {
            int length = (int) Math.min(in.remaining(), LIMITS.headBytes() + HeadReader.SPARE);
            var bytes = new byte[length];
            in.peek(0, bytes, 0, length);
            int headBytes = parsed(bytes);
            if (headBytes == FieldLines.INCOMPLETE) return false;
            in.skip(headBytes);
            int status = head.status();
            if (status == 101 || status >= 300)
                throw new Refused(
                        "the proxy answered " + status + " to CONNECT " + authority()
                                + (status == 407 ? ": see ForwardProxy.credentials(…)" : ""),
                        status);
            // What 2xx says of a body means nothing here.
            isOpen = status >= 200;
            return true;
        }

        private int parsed(byte[] bytes) throws ProtocolError {
            head.reset();
            try {
                return head.parse(bytes, 0, bytes.length);
            } catch (Refusal e) {
                throw new ProtocolError("the proxy answered CONNECT " + authority() + " with " + e.getMessage());
            }
        }

        @Override
        public void send(Input in, Output wire) {
            wire.move(in);
        }

        @Override
        public void ended() throws IOException {
            if (!isOpen) throw new Refused("the proxy ended without an answer to CONNECT " + authority());
        }

        @Override
        public boolean isDone() {
            return isOpen;
        }
    }
}
