package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// Event loops of a test; closing them asserts that every slab came home.
record CheckedLoops(EventLoops loops) implements AutoCloseable {
    /// A free port of this machine.
    Listen listen() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    <M> BlockingMessages<M> connect(Server server, Framing framing, Codec<M> codec) throws IOException {
        return BlockingMessages.of(Tcp.connect(Connect.to(server.address()).loops(loops)), framing, codec);
    }

    @Override
    public void close() {
        loops.close();
        for (var counters : loops.counters()) {
            assertEquals(0, counters.slabBytesInUse(), () -> "bytes of slabs that did not come home: " + counters);
        }
    }
}
