package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.testing.Child;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Others take all the memory that the JVM has outside its heap: the loop goes on with what it has, asks seldom,
/// says so, and takes more when there is some again.
@Tag("abuse")
class TakenMemoryTest {
    private static final List<String> FLAGS = List.of("-da", "-Xmx256m", "-XX:MaxDirectMemorySize=48m");

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void a_loop_outlives_a_shortage_that_others_make(Loops kind) throws Exception {
        kind.assumeWorks();
        try (var child = Child.start(TakenMemoryProcess.class, FLAGS, kind)) {
            assertEquals("fine", child.next());
            assertEquals(0, child.end());
        }
    }
}
