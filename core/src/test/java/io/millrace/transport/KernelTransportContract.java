package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What transports do that have a kernel under them: addresses, options, descriptors.
@Tag("kernel")
abstract class KernelTransportContract extends TransportContract {
    private static final SocketOption<String> UNHEARD_OF = new SocketOption<>() {
        @Override
        public String name() {
            return "SO_UNHEARD_OF";
        }

        @Override
        public Class<String> type() {
            return String.class;
        }
    };

    @TempDir
    Path directory;

    private final List<AutoCloseable> closeables = new ArrayList<>();

    @AfterEach
    void closeOthers() throws Exception {
        for (var closeable : closeables) closeable.close();
    }

    /// Bound, so that nobody else gets the port, and not listening.
    @Override
    SocketAddress refusingAddress() throws IOException {
        var socket = new Socket();
        closeables.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket.getLocalSocketAddress();
    }

    @Override
    SocketOptions smallBuffers() {
        return new SocketOptions(
                Map.of(StandardSocketOptions.SO_SNDBUF, 64 << 10, StandardSocketOptions.SO_RCVBUF, 64 << 10));
    }

    // Addresses.

    @Test
    void speaks_ipv6() throws IOException {
        int listener = server.transport.listen(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0), LISTEN);
        server.transport.receive(listener, true);
        echoes(connectTo(listener));
    }

    @Test
    void an_ipv6_wildcard_takes_ipv4_connections() throws IOException {
        int listener = server.transport.listen(new InetSocketAddress(InetAddress.ofLiteral("::"), 0), LISTEN);
        server.transport.receive(listener, true);
        int port = ((InetSocketAddress) server.local(listener)).getPort();
        int socket =
                client.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), SocketOptions.NONE);
        until(() -> client.side(socket).saw(Event.CONNECTED) && !server.accepted.isEmpty());
        int other = server.transport.adopt(server.accepted.remove(), SocketOptions.NONE);
        assertEquals(client.local(socket), server.remote(other));
        echoes(new Pair(socket, other));
    }

    @Test
    void speaks_through_unix_sockets() throws IOException {
        var path = directory.resolve("echo.sock");
        var pair = connectTo(listenAt(path));
        assertEquals(UnixDomainSocketAddress.of(path), client.remote(pair.client()));
        assertEquals(UnixDomainSocketAddress.of(path), server.local(pair.server()));
        echoes(pair);
        client.transport.end(pair.client());
        until(() -> server.side(pair.server()).saw(Event.ENDED));
    }

    @Test
    void closing_a_listener_removes_the_path_of_its_unix_socket() throws IOException {
        var path = directory.resolve("gone.sock");
        int listener = listenAt(path);
        assertTrue(Files.exists(path));
        server.transport.close(listener);
        assertFalse(Files.exists(path));
        listenAt(path);
        assertTrue(Files.exists(path));
        closeServer();
        assertFalse(Files.exists(path));
    }

    @Test
    void closing_a_listener_leaves_the_path_of_its_successor() throws IOException {
        var path = directory.resolve("taken.sock");
        int listener = listenAt(path);
        Files.move(path, directory.resolve("moved.sock"));
        Files.createFile(path);
        server.transport.close(listener);
        assertTrue(Files.exists(path));
    }

    @Test
    void a_unix_path_in_the_way_is_named_with_the_remedy() throws IOException {
        var path = Files.createFile(directory.resolve("stale.sock"));
        var thrown = assertThrows(IOException.class, () -> listenAt(path));
        assertMentions(thrown.getMessage(), path.toString());
        assertMentions(thrown.getMessage(), "remove");
        assertTrue(Files.exists(path));
    }

    @Test
    void a_path_in_a_directory_that_does_not_exist_says_so() {
        var path = directory.resolve("nowhere").resolve("echo.sock");
        var thrown = assertThrows(IOException.class, () -> listenAt(path));
        assertMentions(thrown.getMessage(), path + ": its directory does not exist");
    }

    @Test
    void a_unix_path_without_a_server_is_refused() throws IOException {
        var nobody = UnixDomainSocketAddress.of(directory.resolve("nobody.sock"));
        int socket = connectInVain(nobody);
        assertEquals(Failure.REFUSED, client.side(socket).failure);
        assertMentions(client.side(socket).detail, "nobody.sock");
    }

    @Test
    void a_unix_server_that_does_not_accept_is_out_of_resources() throws IOException {
        var path = directory.resolve("full.sock");
        var at = UnixDomainSocketAddress.of(path);
        server.transport.listen(at, new ListenOptions(1, false, false, SocketOptions.NONE));
        var sockets = new ArrayList<Integer>();
        for (int i = 0; i < 8; i++) sockets.add(client.connect(at, SocketOptions.NONE));
        quiet();
        var last = client.side(sockets.getLast());
        assertEquals(Failure.NO_RESOURCES, last.failure);
        assertMentions(last.detail, "full.sock");
    }

    @Test
    void an_address_in_use_is_named_with_the_remedy() throws IOException {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var at = other.getLocalSocketAddress();
            var thrown = assertThrows(IOException.class, () -> server.transport.listen(at, LISTEN));
            assertMentions(thrown.getMessage(), portOf(at));
            assertMentions(thrown.getMessage(), "in use");
        }
    }

    @Test
    void an_address_of_another_machine_is_named_with_the_remedy() {
        var at = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 0);
        var thrown = assertThrows(IOException.class, () -> server.transport.listen(at, LISTEN));
        assertMentions(thrown.getMessage(), "192.0.2.1");
        assertMentions(thrown.getMessage(), "this machine does not have that address");
    }

    @Test
    void an_unresolved_host_is_named() {
        var nowhere = InetSocketAddress.createUnresolved("nowhere.invalid", 80);
        var connecting = assertThrows(UnknownHostException.class, () -> client.connect(nowhere, SocketOptions.NONE));
        assertMentions(connecting.getMessage(), "nowhere.invalid");
        var listening = assertThrows(UnknownHostException.class, () -> client.transport.listen(nowhere, LISTEN));
        assertMentions(listening.getMessage(), "nowhere.invalid");
    }

    @Test
    void listeners_may_share_a_port() throws IOException {
        var shared = new ListenOptions(16, true, false, SocketOptions.NONE);
        int first = server.transport.listen(anyAddress(), shared);
        int second = client.transport.listen(server.local(first), shared);
        assertEquals(server.local(first), client.local(second));
    }

    @Test
    void another_transport_adopts_what_this_one_accepted() throws IOException {
        var other = newHost();
        int listener = listen();
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        until(() -> !server.accepted.isEmpty());
        int adopted = other.transport.adopt(server.accepted.remove(), SocketOptions.NONE);
        echo(other);
        other.transport.receive(adopted, true);
        client.transport.receive(socket, true);
        client.write(socket, bytes(1000));
        until(() -> client.received(socket).length == 1000);
    }

    @Test
    void the_remote_address_is_known_after_the_peer_is_gone() throws IOException {
        int listener = listen();
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        until(() -> !server.accepted.isEmpty() && client.side(socket).saw(Event.CONNECTED));
        var address = client.local(socket);
        client.transport.abort(socket);
        quiet();
        int adopted = server.transport.adopt(server.accepted.remove(), SocketOptions.NONE);
        assertEquals(address, server.remote(adopted));
        server.transport.receive(adopted, true);
        until(() -> server.side(adopted).saw(Event.FAILED));
        assertEquals(address, server.remote(adopted));
    }

    // Options.

    @Test
    void small_packets_are_not_held_back_unless_asked_for() throws IOException {
        var pair = connect();
        assertEquals(true, client.transport.option(pair.client(), StandardSocketOptions.TCP_NODELAY));
        assertEquals(true, server.transport.option(pair.server(), StandardSocketOptions.TCP_NODELAY));
        var held = new SocketOptions(Map.of(StandardSocketOptions.TCP_NODELAY, false));
        int socket = client.connect(server.remote(pair.client()), held);
        assertEquals(false, client.transport.option(socket, StandardSocketOptions.TCP_NODELAY));
    }

    @Test
    void options_are_read_back() throws IOException {
        var options = new LinkedHashMap<SocketOption<?>, Object>();
        options.put(StandardSocketOptions.SO_KEEPALIVE, true);
        options.put(ExtendedSocketOptions.TCP_KEEPIDLE, 77);
        options.put(StandardSocketOptions.SO_RCVBUF, 50_000);
        int listener =
                server.transport.listen(anyAddress(), new ListenOptions(16, false, false, new SocketOptions(options)));
        server.transport.receive(listener, true);
        int socket = client.connect(server.local(listener), new SocketOptions(options));
        until(() -> !server.accepted.isEmpty());
        int adopted = server.transport.adopt(server.accepted.remove(), new SocketOptions(options));
        assertOptions(client, socket);
        assertOptions(server, adopted);
        client.transport.option(socket, StandardSocketOptions.SO_KEEPALIVE, false);
        assertEquals(false, client.transport.option(socket, StandardSocketOptions.SO_KEEPALIVE));
    }

    @Test
    void an_unknown_option_is_named() throws IOException {
        var pair = connect();
        var reading = assertThrows(
                UnsupportedOperationException.class, () -> client.transport.option(pair.client(), UNHEARD_OF));
        assertMentions(reading.getMessage(), "SO_UNHEARD_OF");
        var writing = assertThrows(
                UnsupportedOperationException.class, () -> client.transport.option(pair.client(), UNHEARD_OF, "x"));
        assertMentions(writing.getMessage(), "SO_UNHEARD_OF");
        var unheard = new SocketOptions(Map.of(UNHEARD_OF, "x"));
        assertThrows(UnsupportedOperationException.class, () -> client.connect(server.local(pair.server()), unheard));
        assertThrows(
                UnsupportedOperationException.class,
                () -> server.transport.listen(anyAddress(), new ListenOptions(16, false, false, unheard)));
    }

    // Descriptors.

    @Test
    void accepting_recovers_when_descriptors_are_free_again() throws IOException {
        int listener = server.transport.listen(anyAddress(), LISTEN);
        var at = server.local(listener);
        for (int i = 0; i < 4; i++) client.connect(at, SocketOptions.NONE);
        withoutDescriptors(() -> server.transport.receive(listener, true));
        assertEquals(List.of(Event.FAILED), server.side(listener).events);
        assertEquals(Failure.NO_RESOURCES, server.side(listener).failure);
        server.transport.receive(listener, true);
        until(() -> server.accepted.size() == 4);
    }

    @Test
    void a_connect_without_descriptors_fails() throws IOException {
        var at = server.local(server.transport.listen(anyAddress(), LISTEN));
        var socket = new int[1];
        withoutDescriptors(() -> socket[0] = client.connect(at, SocketOptions.NONE));
        assertEquals(List.of(Event.FAILED), client.side(socket[0]).events);
        assertEquals(Failure.NO_RESOURCES, client.side(socket[0]).failure);
        assertMentions(client.side(socket[0]).detail, "descriptors");
        assertEquals(at, client.remote(socket[0]));
        client.transport.close(socket[0]);
    }

    interface Action {
        void run() throws IOException;
    }

    /// Does something while the process has no descriptor left, and waits for what it leads to.
    private void withoutDescriptors(Action action) throws IOException {
        assumeTrue(descriptorLimit() <= 65_536, "the limit of descriptors is too high to reach it");
        // Once with descriptors, so that no class has to be loaded without.
        client.transport.close(connectInVain(refusingAddress()));
        connect();
        quiet();
        var others = takeAllDescriptors();
        try {
            action.run();
            quiet();
        } finally {
            for (var other : others) other.close();
        }
    }

    private static List<SocketChannel> takeAllDescriptors() {
        var taken = new ArrayList<SocketChannel>();
        try {
            while (true) taken.add(SocketChannel.open());
        } catch (IOException _) {
            return taken;
        }
    }

    private static long descriptorLimit() throws IOException {
        var limits = Files.readString(Path.of("/proc/self/limits"));
        var soft = Pattern.compile("Max open files +(\\d+)").matcher(limits);
        return soft.find() ? Long.parseLong(soft.group(1)) : Long.MAX_VALUE;
    }

    private int listenAt(Path path) throws IOException {
        int listener = server.transport.listen(UnixDomainSocketAddress.of(path), LISTEN);
        server.transport.receive(listener, true);
        return listener;
    }

    private void echoes(Pair pair) {
        receiveOn(pair);
        echo(server);
        var sent = bytes(300_000);
        client.write(pair.client(), sent);
        until(() -> client.received(pair.client()).length == sent.length);
        assertArrayEquals(sent, client.received(pair.client()));
    }

    private static void assertOptions(Host host, int socket) throws IOException {
        assertEquals(true, host.transport.option(socket, StandardSocketOptions.SO_KEEPALIVE));
        assertEquals(77, host.transport.option(socket, ExtendedSocketOptions.TCP_KEEPIDLE));
        // The kernel doubles it for its own book-keeping, socket(7), and the JDK takes that back.
        int receiveBuffer = host.transport.option(socket, StandardSocketOptions.SO_RCVBUF);
        assertTrue(receiveBuffer == 50_000 || receiveBuffer == 100_000, receiveBuffer + " bytes");
        assertEquals(true, host.transport.option(socket, StandardSocketOptions.TCP_NODELAY));
    }
}
