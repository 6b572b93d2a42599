package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.BufferedReader;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessMeterTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final long BURNT_NANOS = 200_000_000;
    /// The kernel's sums come in steps of 10 ms, of user and system time each, twice.
    private static final long STEPS_NANOS = 40_000_000;

    private Process shell =
            new ProcessBuilder("sh", "-s").redirectErrorStream(true).start();
    private final BufferedReader answers = shell.inputReader(UTF_8);

    ProcessMeterTest() throws Exception {}

    @AfterEach
    void end() {
        Children.kill(shell);
    }

    @Test
    void counts_a_thread_that_was_seen_and_has_ended() throws Exception {
        var meter = ProcessMeter.of(ProcessHandle.current().pid());
        long before = meter.read().cpuNanos();
        var hasBurnt = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var thread = new Thread(() -> {
            Burn.cpu(BURNT_NANOS);
            hasBurnt.countDown();
            awaitQuietly(mayEnd);
        });
        thread.start();
        hasBurnt.await();
        long seen = meter.read().cpuNanos();
        mayEnd.countDown();
        thread.join();
        assertTrue(seen - before >= BURNT_NANOS - STEPS_NANOS, () -> seen - before + " ns");
        assertTrue(meter.read().cpuNanos() >= seen);
    }

    @Test
    void counts_a_thread_that_came_and_went_unseen() throws Exception {
        var meter = ProcessMeter.of(ProcessHandle.current().pid());
        long before = meter.read().cpuNanos();
        var thread = new Thread(() -> Burn.cpu(BURNT_NANOS));
        thread.start();
        thread.join();
        long used = meter.read().cpuNanos() - before;
        assertTrue(used >= BURNT_NANOS - STEPS_NANOS, () -> used + " ns");
    }

    @Test
    void counts_children_that_live() throws Exception {
        var meter = ProcessMeter.of(shell.pid());
        tell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; exec sleep 1000' &");
        long told = nanosOf(answers.readLine());
        long used = meter.read().cpuNanos();
        assertNear(told, used);
    }

    @Test
    void counts_a_child_that_was_seen_and_has_ended() throws Exception {
        var meter = ProcessMeter.of(shell.pid());
        tell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; exec sleep 1000' & wait; echo done");
        long told = nanosOf(answers.readLine());
        String ofItsChildren = answers.readLine();
        assertEquals(0, nanosOf(ofItsChildren));
        meter.read();
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
        while (!answers.readLine().equals("done")) {}
        assertNear(told, meter.read().cpuNanos());
    }

    @Test
    void counts_a_child_that_came_and_went_unseen() throws Exception {
        var meter = ProcessMeter.of(shell.pid());
        tell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; :'");
        long told = nanosOf(answers.readLine());
        tell("echo done");
        while (!answers.readLine().equals("done")) {}
        assertNear(told, meter.read().cpuNanos());
    }

    @Test
    void does_not_count_children_that_ended_before_it_began() throws Exception {
        tell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times; :'");
        long told = nanosOf(answers.readLine());
        tell("echo done");
        while (!answers.readLine().equals("done")) {}
        long used = ProcessMeter.of(shell.pid()).read().cpuNanos();
        assertTrue(told > STEPS_NANOS && used < told, () -> used + " ns, its child before " + told);
    }

    @Test
    void counts_the_context_switches_of_all_threads() throws Exception {
        var meter = ProcessMeter.of(ProcessHandle.current().pid());
        long before = meter.read().contextSwitches();
        var thread = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                var other = new CountDownLatch(1);
                new Thread(other::countDown).start();
                awaitQuietly(other);
            }
            Burn.cpu(1);
        });
        thread.start();
        while (thread.isAlive()) {
            meter.read();
        }
        long switches = meter.read().contextSwitches() - before;
        assertTrue(switches >= 50, () -> switches + " switches");
    }

    @Test
    void knows_the_memory_in_ram() {
        var usage = ProcessMeter.of(ProcessHandle.current().pid()).read();
        assertTrue(usage.rssBytes() > 10_000_000, usage::toString);
    }

    @Test
    void keeps_its_figures_when_the_process_has_ended() throws Exception {
        var meter = ProcessMeter.of(shell.pid());
        tell("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times");
        long told = nanosOf(answers.readLine());
        long before = meter.read().cpuNanos();
        Children.kill(shell);
        var after = meter.read();
        assertTrue(after.cpuNanos() >= before && before >= told - STEPS_NANOS, after::toString);
        assertEquals(0, after.rssBytes());
    }

    private void tell(String command) throws Exception {
        var writer = shell.outputWriter(UTF_8);
        writer.write(command + "\n");
        writer.flush();
    }

    private static void assertNear(long told, long used) {
        assertTrue(told > STEPS_NANOS, "the test burnt too little: " + told);
        assertTrue(used >= told - STEPS_NANOS && used <= told + told / 2 + 2 * STEPS_NANOS, used + " ns, not " + told);
    }

    /// Of the answer of `times`, `0m0.12s 0m0.03s`: user and system.
    private static long nanosOf(String times) {
        double seconds = 0;
        for (var time : times.split(" ", -1)) {
            int minutesEnd = time.indexOf('m');
            seconds += Integer.parseInt(time.substring(0, minutesEnd)) * 60
                    + Double.parseDouble(time.substring(minutesEnd + 1, time.length() - 1));
        }
        return (long) (seconds * 1e9);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
