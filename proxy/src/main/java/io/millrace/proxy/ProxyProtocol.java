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

/// The [PROXY protocol](https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt), versions 1 and 2: a
/// header that begins a connection and has the client's address, sent by a load balancer. As a stage of a
/// server it removes the header, and [io.millrace.net.Connection#remote] and
/// [io.millrace.net.Connection#local] are the header's
/// addresses; the handler is made when the header is complete.
///
/// ```java
/// var balancers = Networks.of("10.0.0.0/24");
/// Http.serve(Listen.on(8080).through(ProxyProtocol.from(balancers)), app);
/// ```
/// Peers in the trusted networks must send a header. Other peers are refused, or served without a header,
/// by their own address ([#andOthers]). Peers of a Unix socket are trusted: its permissions control
/// access. A header without addresses (`LOCAL`, `UNKNOWN`, `UNSPEC`, an unnamed Unix socket) leaves the
/// addresses unchanged.
///
/// Immutable: each method that changes something returns a copy. Any thread.
public final class ProxyProtocol implements Stage {
    /// How a header is written.
    public enum Version {
        /// A line of text.
        V1,
        /// Bytes.
        V2
    }

    /// The addresses of two Unix sockets need this much.
    private static final int LEAST_BYTES = 232;

    /// A stage may leave twice this much unread.
    private static final int LARGEST_BYTES = 32 << 10;

    private final Networks trusted;
    private final boolean takesOthers;
    private final Duration timeout;
    private final HeaderReader reader;

    static {
        // So that the guards are listed before the first of them acts.
        ProxyGuards.declare();
    }

    private ProxyProtocol(Networks trusted, boolean takesOthers, Duration timeout, HeaderReader reader) {
        this.trusted = trusted;
        this.takesOthers = takesOthers;
        this.timeout = timeout;
        this.reader = reader;
    }

    /// Accepts headers from peers in these networks: within 5 s, of up to 107 bytes in version 1 and 4 KiB
    /// in version 2.
    public static ProxyProtocol from(Networks trusted) {
        return new ProxyProtocol(trusted, false, Duration.ofSeconds(5), new HeaderReader(4 << 10));
    }

    /// Also serves peers that are not trusted: the handler gets a header of theirs like any other bytes.
    public ProxyProtocol andOthers() {
        return new ProxyProtocol(trusted, true, timeout, reader);
    }

    /// How long a header may take (`proxy-protocol.timeout`); the specification asks for 3 s or more.
    ///
    /// @throws IllegalArgumentException if it is not more than zero
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
            var detail = "it is in none of the networks of ProxyProtocol.from";
            ProxyGuards.PROXY_PEER.acted(peer, detail);
            throw new ProtocolError(peer + " may not send a PROXY protocol header: " + detail);
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

    /// The stage of a connection to a backend that sends the client's address, for
    /// [io.millrace.Connect#through].
    ///
    /// ```java
    /// Connect.to(backend).through(ProxyProtocol.announcing(Version.V2, client.remote(), client.local()))
    /// ```
    /// Unless the addresses are two IP addresses, or in version 2 two Unix sockets, they are sent as
    /// unknown.
    ///
    /// @param source      the client
    /// @param destination the address that the client connected to
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

    /// The stage of a connection without a client, such as a health check: `LOCAL`.
    public static Stage own(Version version) {
        var header = switch (version) {
            case V1 -> HeaderWriter.ownText();
            case V2 -> HeaderWriter.ownBinary();
        };
        return _ -> new PassingLink(header);
    }

    /// A backend, and the client of the connections to it: a header names a single client, so no other
    /// client's requests use them.
    ///
    /// @param source the client
    /// @param local the address that the client connected to
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
