package io.millrace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Overflow;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Group;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.Messages;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/// Drives one bound past its limit, for a process with little memory. It writes how often that went well, and the
/// bytes of its heap when most was held.
final class Hoarder {
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 20);
    private static final int MANY = 5_000_000;

    private Hoarder() {}

    /// The arguments are the name of a [Loops], and a bound.
    public static void main(String[] arguments) throws Exception {
        try (var loops = Loops.valueOf(arguments[0])
                        .setup()
                        .threads(2)
                        .stall(Duration.ZERO)
                        .start();
                var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            System.out.println(
                    switch (arguments[1]) {
                        case "frames" -> frames(loops);
                        case "values" -> values(loops);
                        case "watches" -> watches(loops);
                        case "broadcasts that wait" -> broadcasts(loops, false);
                        case "broadcasts of a loop" -> broadcasts(loops, true);
                        case "closes" -> closes(loops);
                        default -> "nobody knows what '" + arguments[1] + "' means";
                    });
            in.readLine();
        }
    }

    private static String result(long count) {
        System.gc();
        var runtime = Runtime.getRuntime();
        return count + " " + (runtime.totalMemory() - runtime.freeMemory());
    }

    /// Messages of one byte for a peer whose handler is busy.
    private static String frames(EventLoops loops) throws Exception {
        var opened = new CompletableFuture<Messages<String>>();
        var goOn = new CountDownLatch(1);
        var factory = Messages.over(FRAMES, Codec.utf8(), peer -> {
            opened.complete(peer);
            return (MessageHandler<String>) _ -> Uninterrupted.await(goOn);
        });
        try (var server = Tcp.listen(TcpTest.local(loops).dispatch(Dispatch.pool(1)), factory);
                var client = RawPeer.of(server)) {
            client.send(new byte[] {0, 0, 0, 1, 'x'});
            var peer = opened.get();
            return hoard(() -> peer.send("x"), goOn);
        }
    }

    /// Values of one byte for a session that does not wait for them.
    private static String values(EventLoops loops) throws Exception {
        var opened = new CompletableFuture<io.millrace.net.BlockingConnection>();
        var goOn = new CountDownLatch(1);
        try (var server = Tcp.serve(TcpTest.local(loops), conn -> {
                    opened.complete(conn);
                    Uninterrupted.await(goOn);
                });
                var client = RawPeer.of(server)) {
            client.send("x");
            var conn = opened.get();
            var one = Bytes.utf8("x");
            return hoard(() -> conn.write(one), goOn);
        }
    }

    private static String hoard(java.util.function.BooleanSupplier send, CountDownLatch goOn) {
        int sent = 0;
        try {
            while (sent < MANY && send.getAsBoolean()) sent++;
            return result(sent);
        } finally {
            goOn.countDown();
        }
    }

    /// A handler that waits for its writes, over and over, of a peer that reads nothing.
    private static String watches(EventLoops loops) throws Exception {
        var result = new CompletableFuture<String>();
        try (var server = Tcp.listen(TcpTest.local(loops), conn -> in -> result.complete(watch(conn, in)));
                var client = RawPeer.withSmallWindow(server)) {
            client.send("x");
            return result.get();
        }
    }

    private static String watch(Connection conn, Input in) {
        in.skip(in.remaining());
        conn.output().write(new byte[8 << 20], 0, 8 << 20);
        int count = 0;
        try {
            for (; count < MANY; count++) conn.whenSent(() -> {});
        } catch (Overflow e) {
            return result(count);
        }
        return result(-1);
    }

    private static String broadcasts(EventLoops loops, boolean onLoop) throws Exception {
        var group = new Group<String>();
        var joined = new LinkedBlockingQueue<Messages<String>>();
        try (var server = Tcp.listen(TcpTest.local(loops), Messages.over(FRAMES, Codec.utf8(), peer -> {
                    group.join(peer);
                    joined.add(peer);
                    return group::broadcast;
                }));
                var client = RawPeer.of(server)) {
            var home = joined.take().connection().loop();
            var goOn = new CountDownLatch(1);
            home.execute(() -> Uninterrupted.await(goOn));
            var other = loops.all().stream()
                    .filter(loop -> !loop.equals(home))
                    .findFirst()
                    .orElseThrow();
            try {
                long acted = CoreGuards.GROUP_PENDING.count();
                if (onLoop)
                    CompletableFuture.runAsync(() -> speak(group), other)
                            .exceptionally(_ -> null)
                            .get();
                else Thread.ofPlatform().daemon().start(() -> speak(group));
                Eventually.until(() -> CoreGuards.GROUP_PENDING.count() > acted);
                return result(client.socket().isConnected() ? 1 : 0);
            } finally {
                goOn.countDown();
            }
        }
    }

    private static void speak(Group<String> group) {
        for (int i = 0; i < MANY; i++) group.broadcast("x");
    }

    /// Peers that read nothing of what is left when their connections close.
    private static String closes(EventLoops loops) throws IOException {
        var much = new byte[4 << 20];
        var peers = new ArrayList<RawPeer>();
        try (var server = Tcp.listen(TcpTest.local(loops).closeTimeout(Duration.ofMillis(200)), conn -> in -> {
            in.skip(in.remaining());
            conn.output().write(much, 0, much.length);
            conn.close();
        })) {
            for (int i = 0; i < 12; i++) {
                var peer = RawPeer.withSmallWindow(server);
                peers.add(peer);
                peer.send("x");
                if (i % 2 == 0) peer.end();
            }
            // The kernel may have some of it a little longer.
            Eventually.until(() -> server.connections() == 0 && slabBytes(loops) == 0);
            return result(1);
        } finally {
            peers.forEach(RawPeer::close);
        }
    }

    private static long slabBytes(EventLoops loops) {
        return loops.counters().stream()
                .mapToLong(counters -> counters.slabBytesInUse())
                .sum();
    }
}
