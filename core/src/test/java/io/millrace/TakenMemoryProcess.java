package io.millrace;

import static io.millrace.Eventually.until;

import io.millrace.bytes.Input;
import io.millrace.loop.CoreGuards;
import io.millrace.net.Connection;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A server in a JVM whose memory outside the heap others take, and give back: run by [TakenMemoryTest].
final class TakenMemoryProcess {
    private static final int ASKS = 200;
    private static final byte[] PAGE = new byte[256 << 10];
    private static final AtomicInteger answers = new AtomicInteger();

    private TakenMemoryProcess() {}

    /// The argument is the name of a [Loops].
    public static void main(String[] arguments) throws Exception {
        var peers = new ArrayList<RawPeer>();
        try (var loops = Loops.valueOf(arguments[0]).withMemory(32 << 20);
                var server = Tcp.listen(
                        TcpTest.local(loops).option(StandardSocketOptions.SO_SNDBUF, 16 << 10),
                        conn -> in -> answer(conn, in));
                var honest = RawPeer.of(server)) {
            exchange(honest, "hello");
            var taken = takeAll();
            for (int i = 0; i < ASKS; i++) {
                ask(server, peers);
                if (i % 20 == 0) closeAll(peers);
            }
            closeAll(peers);
            exchange(honest, "still here");
            if (CoreGuards.DIRECT_MEMORY.count() == 0) throw new AssertionError("nobody was told");
            long held = held(loops);
            taken.clear();
            System.gc();
            while (held(loops) < held + (4 << 20)) {
                if (peers.size() > 50) closeAll(peers);
                ask(server, peers);
                Eventually.turns(loops, 50);
            }
            exchange(honest, "and again");
        } finally {
            closeAll(peers);
        }
        System.out.println("fine");
    }

    private static void exchange(RawPeer peer, String text) throws IOException {
        var read = peer.send(text).read(text.length());
        if (!read.equals(text)) throw new AssertionError("'" + read + "' instead of '" + text + "'");
    }

    /// By whoever else is in this JVM.
    private static List<ByteBuffer> takeAll() {
        var taken = new ArrayList<ByteBuffer>();
        for (int size = 1 << 20; size >= 16 << 10; size /= 2) {
            try {
                while (true) taken.add(ByteBuffer.allocateDirect(size));
            } catch (OutOfMemoryError e) {
                // Less, then.
            }
        }
        return taken;
    }

    private static long held(EventLoops loops) {
        return loops.counters().getFirst().slabBytesHeld();
    }

    /// Somebody asks for a page, and does not read it.
    private static void ask(Server server, List<RawPeer> peers) throws Exception {
        int before = answers.get();
        var peer = RawPeer.withSmallWindow(server);
        peers.add(peer);
        peer.send("l");
        until(() -> answers.get() > before || CoreGuards.DIRECT_MEMORY.count() > 0);
    }

    private static void closeAll(List<RawPeer> peers) {
        peers.forEach(RawPeer::close);
        peers.clear();
    }

    /// `l` gets a page, however full the output is; everything else is sent back.
    private static void answer(Connection conn, Input in) {
        if (in.peekByte(0) != 'l') {
            conn.output().move(in);
            return;
        }
        in.skip(in.remaining());
        try {
            conn.output().write(PAGE, 0, PAGE.length);
        } finally {
            answers.incrementAndGet();
        }
    }
}
