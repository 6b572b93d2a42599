package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.net.HandlerFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// No byte is lost, doubled or moved, whatever the peers do. `-Dmillrace.abuse=full` runs the sizes of a release.
@Tag("shipping")
@Tag("abuse")
@Timeout(600)
class IntegrityAbuseTest {
    private static final boolean IS_FULL = "full".equals(System.getProperty("millrace.abuse"));
    private static final int BULK_BYTES = (IS_FULL ? 200 : 24) << 20;
    private static final int SINGLE_BYTES = IS_FULL ? 1 << 20 : 1 << 17;
    private static final int RESETS = IS_FULL ? 2000 : 300;
    private static final int CONNECTS = IS_FULL ? 30_000 : 2_000;
    private static final HandlerFactory ECHO = conn -> in -> conn.output().move(in);

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void bulk_in_random_chunks_with_pauses_comes_back_through_echo(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(here(loops), ECHO)) {
            echoThrough(server, new Pieces(1, 1 << 18, BULK_BYTES), 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void bulk_in_random_chunks_with_pauses_comes_back_through_a_tunnel(Loops kind) throws Exception {
        try (var loops = kind.start(2);
                var echo = Tcp.listen(here(loops), ECHO);
                var tunnel = Tcp.listen(here(loops), Tunnel.to(echo.address()))) {
            echoThrough(tunnel, new Pieces(1, 1 << 18, BULK_BYTES), 2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void bulk_comes_back_through_a_session(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.serve(here(loops), conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                })) {
            echoThrough(server, new Pieces(1, 1 << 18, BULK_BYTES), 3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void single_bytes_come_back_through_a_tunnel_between_loops(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var own = kind.start(1);
                var echo = Tcp.listen(here(loops), ECHO);
                var tunnel = Tcp.listen(here(loops), Tunnel.to(echo.address()).upstreamLoops(own))) {
            echoThrough(tunnel, new Pieces(1, 1, SINGLE_BYTES), 4);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void resets_at_random_points_leave_nothing_behind(Loops kind) throws Exception {
        var random = new Random(5);
        try (var loops = kind.start(2);
                var echo = Tcp.listen(here(loops), ECHO);
                var tunnel = Tcp.listen(here(loops), Tunnel.to(echo.address()))) {
            for (int i = 0; i < RESETS; i++) resetSomewhere(tunnel, random);
            echoThrough(tunnel, new Pieces(1, 1000, 1 << 20), 6);
            waitUntil(() -> tunnel.connections() == 0 && echo.connections() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void connections_that_come_and_go_leave_no_descriptor(Loops kind) throws Exception {
        try (var loops = kind.start(1);
                var server = Tcp.listen(here(loops), ECHO)) {
            long before = descriptors();
            for (int i = 0; i < CONNECTS; i++) {
                try (var socket = connect(server)) {
                    socket.getOutputStream().write(i);
                    assertEquals(i & 0xff, socket.getInputStream().read());
                }
            }
            waitUntil(() -> server.connections() == 0 && descriptors() <= before);
            assertEquals(CONNECTS, loops.counters().getFirst().closed());
        }
    }

    private static Listen here(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private static Socket connect(Server server) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setTcpNoDelay(true);
        return socket;
    }

    /// How a stream of so many bytes is cut.
    private record Pieces(int minBytes, int maxBytes, int totalBytes) {}

    private static void echoThrough(Server server, Pieces pieces, long seed) throws Exception {
        try (var socket = connect(server);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<String> writing = () -> write(socket, pieces, new Random(seed));
            var sent = threads.submit(writing);
            var heard = read(socket, pieces, new Random(-seed));
            assertEquals(result(sent), heard);
        }
    }

    private static String result(java.util.concurrent.Future<String> sent) throws Exception {
        try {
            return sent.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        }
    }

    private static String write(Socket socket, Pieces pieces, Random random) throws Exception {
        var digest = sha256();
        OutputStream out = socket.getOutputStream();
        var piece = new byte[pieces.maxBytes];
        for (int left = pieces.totalBytes; left > 0; ) {
            int length = Math.min(left, pieces.minBytes + random.nextInt(pieces.maxBytes));
            random.nextBytes(piece);
            digest.update(piece, 0, Math.min(length, piece.length));
            out.write(piece, 0, Math.min(length, piece.length));
            left -= Math.min(length, piece.length);
            if (random.nextInt(200) == 0) LockSupport.parkNanos(200_000);
        }
        socket.shutdownOutput();
        return pieces.totalBytes + " " + HexFormat.of().formatHex(digest.digest());
    }

    private static String read(Socket socket, Pieces pieces, Random random) throws Exception {
        var digest = sha256();
        var in = socket.getInputStream();
        var piece = new byte[Math.max(pieces.maxBytes, 4096)];
        long total = 0;
        for (int length; (length = in.read(piece, 0, 1 + random.nextInt(piece.length))) > 0; ) {
            digest.update(piece, 0, length);
            total += length;
            if (random.nextInt(500) == 0) LockSupport.parkNanos(300_000);
        }
        return total + " " + HexFormat.of().formatHex(digest.digest());
    }

    private static void resetSomewhere(Server server, Random random) throws IOException {
        try (var socket = connect(server)) {
            socket.setSoLinger(true, 0);
            var bytes = new byte[1 + random.nextInt(100_000)];
            socket.getOutputStream().write(bytes, 0, random.nextInt(bytes.length));
            if (random.nextInt(4) == 0) socket.shutdownOutput();
            if (random.nextBoolean())
                socket.getInputStream().skip(socket.getInputStream().available());
        }
    }

    private static long descriptors() throws IOException {
        try (var open = java.nio.file.Files.list(java.nio.file.Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    private static void waitUntil(Callable<Boolean> condition) throws Exception {
        for (int i = 0; i < 20_000 && !condition.call(); i++) LockSupport.parkNanos(1_000_000);
        assertTrue(condition.call());
    }

    private static MessageDigest sha256() throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256");
    }
}
