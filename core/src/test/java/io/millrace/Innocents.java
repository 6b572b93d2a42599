package io.millrace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/// Connections that do nothing wrong: each sends bytes of its own all the time, and must get exactly these back.
final class Innocents implements AutoCloseable {
    private static final int MOST_BYTES = 5000;

    private final Server server;
    private final List<RawPeer> peers = new ArrayList<>();
    private final AtomicLong rounds = new AtomicLong();
    private final CompletableFuture<Void> talk;
    private volatile boolean isOver;

    private Innocents(int count, Listen on) throws IOException {
        server = Tcp.listen(on, conn -> in -> conn.output().move(in));
        for (int i = 0; i < count; i++) peers.add(RawPeer.of(server));
        talk = new CompletableFuture<>();
        Thread.ofPlatform().name("innocents").start(this::talk);
    }

    static Innocents start(int count, Listen on) throws IOException {
        return new Innocents(count, on);
    }

    private void talk() {
        var random = new Random(1);
        try {
            while (!isOver) round(random);
            talk.complete(null);
        } catch (Throwable e) {
            talk.completeExceptionally(e);
        }
    }

    /// All of them have something under way at a time.
    private void round(Random random) throws IOException {
        var sent = new ArrayList<byte[]>();
        for (var peer : peers) {
            var bytes = new byte[1 + random.nextInt(MOST_BYTES)];
            random.nextBytes(bytes);
            sent.add(bytes);
            peer.send(bytes);
        }
        for (int i = 0; i < sent.size(); i++) {
            var bytes = sent.get(i);
            assertArrayEquals(bytes, peers.get(i).socket().getInputStream().readNBytes(bytes.length));
        }
        rounds.incrementAndGet();
    }

    /// Ends, and fails when one of them did not get its own bytes.
    void assertUnharmed() throws InterruptedException, ExecutionException {
        isOver = true;
        talk.get();
        assertTrue(rounds.get() > 0);
        assertTrue(server.connections() == peers.size(), "connections that were closed");
    }

    @Override
    public void close() {
        isOver = true;
        for (var peer : peers) peer.close();
        server.close();
    }
}
