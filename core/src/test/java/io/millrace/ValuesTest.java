package io.millrace;

import static io.millrace.TcpTest.local;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.net.Connection;
import io.millrace.testing.Child;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Values come and go at the speed of the network, and nobody has to collect all of the heap for them.
/// `-Dmillrace.abuse=full` goes on for some ten minutes in all.
@Tag("abuse")
class ValuesTest {
    private static final boolean IS_FULL = "full".equals(System.getProperty("millrace.abuse"));

    /// Several times what the JVM has outside of its heap.
    private static final long BYTES = (IS_FULL ? 80L : 1) << 30;

    /// A quarter of the heap's limit each, and what the JDK itself takes.
    private static final long SLABS_AND_VALUES = 140 << 20;

    private static final List<String> LITTLE_MEMORY = List.of("-da", "-Xmx256m", "-XX:+UseG1GC");

    @ParameterizedTest
    @CsvSource({"NIO,16384", "EPOLL,16384", "URING,16384", "EPOLL,100000"})
    void messages_cause_no_full_collection(Loops kind, int size) throws Exception {
        kind.assumeWorks();
        try (var child = Child.start(ValuesProcess.class, LITTLE_MEMORY, kind)) {
            long[] seen = child.askNumbers(size + " " + BYTES);
            assertEquals(0, seen[0], "full collections");
            assertTrue(0 < seen[1] && seen[1] < SLABS_AND_VALUES, seen[1] + " bytes outside the heap");
            assertEquals(0, child.end());
        }
    }

    /// The loop has memory for a tenth of what all of them get.
    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_value_for_many_does_not_take_memory_for_each(Loops kind) throws Exception {
        var news = Bytes.of(new byte[16 << 10]);
        var members = new ArrayList<Connection>();
        try (var loops = kind.withMemory(4 << 20);
                var server = Tcp.listen(local(loops), conn -> {
                    members.add(conn);
                    return in -> {
                        in.skip(in.remaining());
                        for (var member : members) member.output().write(news);
                    };
                })) {
            var peers = new ArrayList<RawPeer>();
            try {
                for (int i = 0; i < 2500; i++) peers.add(RawPeer.of(server));
                Eventually.until(() -> loops.counters().getFirst().connections() == peers.size());
                peers.getFirst().send("now");
                for (var peer : peers)
                    assertEquals(news.length(), peer.read(news.length()).length());
            } finally {
                for (var peer : peers) peer.close();
            }
        }
    }
}
