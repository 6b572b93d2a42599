package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.millrace.memory.SlabPool;
import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// Two ends of connections, a server's and a client's, driven by the test's thread. After each test every slab is
/// home again.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class TwoHosts {
    static final ListenOptions LISTEN = new ListenOptions(1024, false, false, SocketOptions.NONE);

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /// Polls after which nothing more is expected to be delivered.
    private static final int QUIET_POLLS = 25;

    private final List<Host> hosts = new ArrayList<>();
    private final Random random = new Random(42);

    Host server;
    Host client;

    /// The transport under test.
    abstract Transport open(SlabPool pool) throws IOException;

    @BeforeEach
    void openHosts() throws IOException {
        server = newHost();
        client = newHost();
    }

    @AfterEach
    void every_slab_is_home() {
        for (var host : hosts) {
            host.transport.close();
            assertEquals(0, host.pool.missing());
        }
    }

    record Pair(int client, int server) {}

    final Host newHost() throws IOException {
        var host = new Host(this::open);
        hosts.add(host);
        return host;
    }

    /// An address of which the transport chooses the rest.
    SocketAddress anyAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /// An address at which nobody listens, now or later.
    abstract SocketAddress refusingAddress() throws IOException;

    /// Options that let a connection hold a few hundred kilobytes at most, where it would hold more.
    SocketOptions smallBuffers() {
        return SocketOptions.NONE;
    }

    final int listen() throws IOException {
        int listener = server.transport.listen(anyAddress(), LISTEN);
        server.transport.receive(listener, true);
        return listener;
    }

    final Pair connect() throws IOException {
        return connectTo(listen());
    }

    final Pair connectTo(int listener) throws IOException {
        return connectTo(listener, SocketOptions.NONE);
    }

    /// A connection that a few hundred kilobytes fill.
    final Pair connectWithSmallBuffers() throws IOException {
        var options = smallBuffers();
        int listener = server.transport.listen(anyAddress(), new ListenOptions(16, false, false, options));
        server.transport.receive(listener, true);
        return connectTo(listener, options);
    }

    private Pair connectTo(int listener, SocketOptions options) throws IOException {
        int socket = client.connect(server.local(listener), options);
        until(() -> !server.accepted.isEmpty() && client.side(socket).saw(Event.CONNECTED));
        return new Pair(socket, server.transport.adopt(server.accepted.remove(), options));
    }

    final Transport.Accepted secondConnection(Pair pair) throws IOException {
        client.connect(server.local(pair.server()), SocketOptions.NONE);
        until(() -> !server.accepted.isEmpty());
        return server.accepted.remove();
    }

    /// A connection that fails; the test has to close it.
    final int connectInVain(SocketAddress to) throws IOException {
        int socket = client.connect(to, SocketOptions.NONE);
        until(() -> client.side(socket).saw(Event.FAILED));
        return socket;
    }

    final void receiveOn(Pair pair) {
        client.transport.receive(pair.client(), true);
        server.transport.receive(pair.server(), true);
    }

    /// Sends back whatever arrives, and receives no more while it cannot.
    static void echo(Host host) {
        host.reaction = (event, socket) -> {
            if (event == Event.RECEIVED) {
                var bytes = host.received(socket);
                host.side(socket).received.reset();
                host.write(socket, bytes);
            }
            host.transport.receive(socket, host.side(socket).inFlight == 0);
        };
    }

    final byte[] bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    static String portOf(SocketAddress address) {
        return String.valueOf(((InetSocketAddress) address).getPort());
    }

    static void assertMentions(@Nullable String sentence, String what) {
        assertTrue(sentence != null && sentence.contains(what), "'" + sentence + "' does not mention " + what);
    }

    /// Polls until something is so.
    final void until(BooleanSupplier isSo) {
        long startNanos = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            boolean delivered = false;
            for (var host : hosts) delivered |= host.poll(0);
            if (!delivered) hosts.getLast().poll(1_000_000);
            if (System.nanoTime() - startNanos > PATIENCE_NANOS) fail("waited in vain: " + hosts);
        }
    }

    /// Closes the server's transport; the client is what is left to poll.
    final void closeServer() {
        hosts.remove(server);
        server.transport.close();
        assertEquals(0, server.pool.missing());
    }

    /// Polls until nothing more is to be expected.
    final void quiet() {
        for (int left = QUIET_POLLS; left > 0; left--) {
            for (var host : hosts) if (host.poll(1_000_000)) left = QUIET_POLLS;
        }
    }
}
