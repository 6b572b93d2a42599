package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JvmMeterTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final long MEGABYTE = 1_000_000;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(Children::kill);
    }

    @Test
    void reads_as_many_bytes_as_were_allocated() throws Exception {
        var jvm = startAllocator(TestJvm.command(Allocator.class));
        try (var meter = JvmMeter.attach(jvm.pid()).orElseThrow()) {
            long before = meter.read().allocatedBytes();
            tell(jvm, 100);
            long allocated = meter.read().allocatedBytes() - before;
            assertTrue(allocated >= 100 * MEGABYTE && allocated < 105 * MEGABYTE, () -> allocated + " bytes allocated");
        }
    }

    @Test
    void reads_little_more_than_nothing_when_nothing_was_allocated() throws Exception {
        var jvm = startAllocator(TestJvm.command(Allocator.class));
        try (var meter = JvmMeter.attach(jvm.pid()).orElseThrow()) {
            long before = meter.read().allocatedBytes();
            long allocated = meter.read().allocatedBytes() - before;
            assertTrue(allocated >= 0 && allocated < MEGABYTE, () -> allocated + " bytes allocated");
        }
    }

    @Test
    void counts_collections() throws Exception {
        var jvm = startAllocator(TestJvm.command(Allocator.class));
        try (var meter = JvmMeter.attach(jvm.pid()).orElseThrow()) {
            tell(jvm, 40);
            var before = meter.read();
            meter.collect();
            var after = meter.read();
            assertTrue(after.gcCount() > before.gcCount(), after::toString);
            assertTrue(after.gcMillis() >= before.gcMillis(), after::toString);
            assertTrue(after.heapUsedBytes() < 20 * MEGABYTE, after::toString);
            assertTrue(after.heapUsedBytes() <= after.heapCommittedBytes(), after::toString);
        }
    }

    @Test
    void finds_the_jvm_that_a_shell_started() throws Exception {
        var words = new ArrayList<>(List.of("sh", "-c", "\"$@\"; :", "sh"));
        words.addAll(TestJvm.command(Allocator.class));
        var shell = startAllocator(words);
        tell(shell, 1);
        try (var meter = JvmMeter.attach(shell.pid()).orElseThrow()) {
            assertTrue(meter.read().allocatedBytes() >= MEGABYTE);
        }
    }

    @Test
    void there_is_none_for_what_is_no_jvm() throws Exception {
        var sleep = start(List.of("sleep", "1000"));
        assertTrue(JvmMeter.attach(sleep.pid()).isEmpty());
        assertTrue(sleep.isAlive(), "it was ended by the question");
    }

    @Test
    void there_is_none_for_a_jvm_that_does_not_let_us() throws Exception {
        var words = new ArrayList<>(TestJvm.command(Allocator.class));
        words.add(1, "-XX:+DisableAttachMechanism");
        var jvm = startAllocator(words);
        assertTrue(JvmMeter.attach(jvm.pid()).isEmpty());
    }

    @Test
    void a_jvm_that_has_ended_is_a_failure() throws Exception {
        var jvm = startAllocator(TestJvm.command(Allocator.class));
        try (var meter = JvmMeter.attach(jvm.pid()).orElseThrow()) {
            Children.kill(jvm);
            assertThrows(IOException.class, meter::read);
        }
    }

    /// Waits until it runs: a JVM that is being born is none yet.
    private Process startAllocator(List<String> words) throws IOException {
        var process = start(words);
        tell(process, 0);
        return process;
    }

    private Process start(List<String> words) throws IOException {
        var process = Children.start(new ProcessBuilder(words).redirectError(Redirect.INHERIT));
        started.add(process);
        return process;
    }

    /// Has it allocate, and waits until it has.
    private static void tell(Process allocator, int megabytes) throws IOException {
        var writer = allocator.outputWriter(UTF_8);
        writer.write(megabytes + "\n");
        writer.flush();
        BufferedReader reader = allocator.inputReader(UTF_8);
        assertEquals("done", reader.readLine());
    }
}
