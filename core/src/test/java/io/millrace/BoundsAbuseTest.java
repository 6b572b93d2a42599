package io.millrace;

import static io.millrace.WatermarkTest.assertAtMost;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Child;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Each bound is driven past its limit in a JVM of 256 MB, as it ships: without assertions. What it holds by then
/// is what `docs/limits.md` says.
@Tag("abuse")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundsAbuseTest {
    private static final long MIB = 1 << 20;

    /// The JVM, the classes of the framework and of the test, and what the test itself holds.
    private static final long BASE_BYTES = 40 * MIB;

    /// A bound, the bytes of its limit, and how often it takes something before it acts; 0 where that is not
    /// counted.
    static Stream<Arguments> bounds() {
        return Stream.of(Loops.NIO, Loops.EPOLL, Loops.URING)
                .flatMap(kind -> Stream.of(
                        Arguments.of(kind, "frames", 64 * MIB, 64 * MIB / (5 + 144)),
                        Arguments.of(kind, "values", 64 * MIB, 64 * MIB / (1 + 144)),
                        Arguments.of(kind, "watches", 64 * MIB, 56 * MIB / 64),
                        Arguments.of(kind, "broadcasts that wait", 16 * MIB, 1),
                        Arguments.of(kind, "broadcasts of a loop", 16 * MIB, 1),
                        Arguments.of(kind, "closes", 16 * MIB, 1)));
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void a_bound_holds_in_a_small_heap(Loops kind, String bound, long limitBytes, long count) throws Exception {
        kind.assumeWorks();
        try (var child = Child.start(Hoarder.class, List.of("-da", "-Xmx256m"), kind, bound)) {
            var answer = child.next();
            assertTrue(answer.matches("-?\\d+ \\d+"), answer);
            var words = answer.split(" ", -1);
            long counted = Long.parseLong(words[0]);
            // Watches are looked at now and then, and there is what the kernel has taken of the output before them.
            assertTrue(Math.abs(counted - count) <= count / 20, "it acted after " + counted + ", not " + count);
            assertAtMost(limitBytes + BASE_BYTES, Long.parseLong(words[1]));
            assertEquals(0, child.end());
        }
    }
}
