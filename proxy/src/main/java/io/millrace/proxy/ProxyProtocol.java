package io.millrace.proxy;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.filter.Networks;
import io.millrace.http.message.Destination;
import io.millrace.http.message.Permits;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.Wording;
import io.millrace.net.ProtocolError;
import io.millrace.net.Stage;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.announce.HeaderReader;
import io.millrace.proxy.announce.HeaderWriter;
import io.millrace.proxy.announce.ProxyGuards;
import io.millrace.proxy.announce.ReceivingLink;
import io.millrace.proxy.announce.ReceivingLink.PassingLink;
import io.millrace.proxy.upstream.Backend;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/// The [PROXY protocol](https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt), versions 1 and 2: a header
/// in front of a connection by which a balancer says whose it is. As a stage of a server it takes them off, and
/// [Connection#remote] and [Connection#local] tell what they said; the handler is made when the header is there.
///
/// ```java
/// var balancers = Networks.of("10.0.0.0/24");
/// Http.serve(Listen.on(8080).through(ProxyProtocol.from(balancers)), app);
/// ```
/// Peers of the trusted networks must send a header; others are refused, or served as who they are
/// ([#andOthers]), without one. Who connects to a Unix socket is trusted: its permissions are there for that. A
/// header that names nobody (`LOCAL`, `UNKNOWN`, `UNSPEC`, an unnamed Unix socket) leaves the addresses as they
/// are.
///
/// Immutable; each method that changes something returns a copy. Any thread.
public final class ProxyProtocol implements Stage {
    /// How a header is written.
    public enum Version {
        /// A line of text.
        V1,
        /// Bytes.
        V2
    }

    /// The addresses of Unix sockets need so much.
    private static final int LEAST_BYTES = 232;

    /// What a stage may leave unread is twice that.
    private static final int LARGEST_BYTES = 32 << 10;

    private final Networks trusted;
    private final boolean takesOthers;
    private final Duration timeout;
    private final HeaderReader reader;

    static {
        // Its guards are listed before the first of them acts.
        ProxyGuards.declare();
    }

    private ProxyProtocol(Networks trusted, boolean takesOthers, Duration timeout, HeaderReader reader) {
        this.trusted = trusted;
        this.takesOthers = takesOthers;
        this.timeout = timeout;
        this.reader = reader;
    }

    /// Takes headers from peers of these networks: within 5 s, of up to 107 bytes in version 1 and 4 KiB in
    /// version 2.
    public static ProxyProtocol from(Networks trusted) {
        return new ProxyProtocol(trusted, false, Duration.ofSeconds(5), new HeaderReader(4 << 10));
    }

    /// Serves peers that are not trusted, too: a header of theirs is to them and the handler a message like any
    /// other.
    public ProxyProtocol andOthers() {
        return new ProxyProtocol(trusted, true, timeout, reader);
    }

    /// How long a header may take (`proxy-protocol.timeout`); the specification asks for 3 s or more.
    ///
    /// @throws IllegalArgumentException unless it is more than zero
    public ProxyProtocol within(Duration limit) {
        if (!limit.isPositive())
            throw new IllegalArgumentException("headers within " + Wording.of(limit) + ": take more than 0");
        var bounded = Duration.ofNanos(ConnectionSettings.nanos(limit, "a timeout of headers"));
        return new ProxyProtocol(trusted, takesOthers, bounded, reader);
    }

    /// How long a header of version 2 may be, 232 to 32 768 bytes (`proxy-protocol.header`).
    ///
    /// @throws IllegalArgumentException for another number
    public ProxyProtocol upTo(int bytes) {
        if (bytes < LEAST_BYTES || bytes > LARGEST_BYTES) {
            throw new IllegalArgumentException(
                    "headers of " + bytes + " bytes: take " + LEAST_BYTES + " to " + LARGEST_BYTES);
        }
        return new ProxyProtocol(trusted, takesOthers, timeout, new HeaderReader(bytes));
    }

    @Override
    public Link open(Context context) {
        var peer = context.connection().remote();
        boolean isTrusted = !(peer instanceof InetSocketAddress at) || trusted.contains(at.getAddress());
        if (isTrusted) return new ReceivingLink(context, reader, timeout);
        return takesOthers ? new PassingLink(Bytes.EMPTY) : new Refusal(peer);
    }

    private record Refusal(SocketAddress peer) implements Link {
        @Override
        public void open(Output wire) throws ProtocolError {
            var detail = "it is in none of the networks that ProxyProtocol.from was given";
            ProxyGuards.PROXY_PEER.acted(peer, detail);
            throw new ProtocolError(peer + " may not announce anybody: " + detail);
        }

        @Override
        public void receive(Input in, Output app, Output wire) {
            throw new AssertionError("it was closed before");
        }

        @Override
        public void send(Input in, Output wire) {
            throw new AssertionError("it was closed before");
        }
    }

    // To backends.

    /// The stage of a connection to a backend that is to know whose it is, for [io.millrace.Connect#through].
    ///
    /// ```java
    /// Connect.to(backend).through(ProxyProtocol.announcing(Version.V2, client.remote(), client.local()))
    /// ```
    /// What are not two IP addresses, or in version 2 two Unix sockets, is announced as unknown.
    ///
    /// @param source      the client
    /// @param destination what the client has connected to
    public static Stage announcing(Version version, SocketAddress source, SocketAddress destination) {
        var header = header(version, source, destination);
        return _ -> new PassingLink(header);
    }

    static Bytes header(Version version, SocketAddress source, SocketAddress destination) {
        return switch (version) {
            case V1 -> HeaderWriter.text(source, destination);
            case V2 -> HeaderWriter.binary(source, destination);
        };
    }

    /// The stage of a connection that is made for nobody else, a check of health for instance: `LOCAL`.
    public static Stage own(Version version) {
        var header = switch (version) {
            case V1 -> HeaderWriter.ownText();
            case V2 -> HeaderWriter.ownBinary();
        };
        return _ -> new PassingLink(header);
    }

    /// A backend, and the client whose connections to it are: what was announced for one client says nothing of
    /// another, so nobody else's requests go there.
    ///
    /// @param source the client
    /// @param local what the client has connected to
    record Announced(Backend backend, Version version, SocketAddress source, SocketAddress local)
            implements Destination {
        Stage stage() {
            return ProxyProtocol.announcing(version, source, local);
        }

        @Override
        public SocketAddress address() {
            return backend.address();
        }

        @Override
        public Permits connections() {
            return backend.connections();
        }

        @Override
        public Permits pending() {
            return backend.pending();
        }

        @Override
        public boolean isGone() {
            return backend.isGone();
        }

        @Override
        public String toString() {
            return backend + " for " + source;
        }
    }
}
