package io.millrace.lab.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PauseTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String WITH_CHILDREN =
            "sleep 1000 & sh -c 'sleep 1000; :' & " + Servers.GREETS + "; while :; do :; done";

    @Test
    void nothing_of_a_paused_server_runs() throws Exception {
        try (var server = Servers.start(WITH_CHILDREN)) {
            var processes = allProcesses(server);
            server.pause();
            for (var process : processes) {
                assertTrue(Proc.of(process).isStopped(), process + " runs");
            }
            var usage = ProcessMeter.of(server.pid());
            long before = usage.read().cpuNanos();
            assertEquals(before, usage.read().cpuNanos());
        }
    }

    @Test
    void everything_goes_on_after_it() throws Exception {
        try (var server = Servers.start(WITH_CHILDREN)) {
            var processes = allProcesses(server);
            server.pause();
            server.resume();
            for (var process : processes) {
                assertTrue(ProcessTree.isAlive(process) && !Proc.of(process).isStopped(), process + " is stopped");
            }
            var usage = ProcessMeter.of(server.pid());
            long before = usage.read().cpuNanos();
            assertTrue(Wait.until(() -> usage.read().cpuNanos() > before, Servers.LONG));
        }
    }

    @Test
    void pausing_twice_is_pausing() throws Exception {
        try (var server = Servers.start(WITH_CHILDREN)) {
            server.pause();
            server.pause();
            server.resume();
            server.resume();
            assertTrue(server.isAlive());
        }
    }

    @Test
    void a_server_that_keeps_starting_processes_is_paused_whole() throws Exception {
        try (var server = Servers.start(Servers.GREETS + "; while :; do sleep 0.001; done")) {
            for (int i = 0; i < 10; i++) {
                server.pause();
                assertTrue(Servers.processes(server).stream()
                        .filter(ProcessTree::isAlive)
                        .allMatch(process -> Proc.of(process).isStopped()));
                server.resume();
            }
        }
    }

    @Test
    void a_server_that_has_ended_cannot_be_paused() throws Exception {
        try (var server = Servers.start("echo oh >&2; " + Servers.GREETS + "; exec sleep 1000")) {
            ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
            assertTrue(Wait.until(() -> !server.isAlive(), Duration.ofSeconds(30)));
            var refused = assertThrows(IOException.class, server::pause);
            assertTrue(
                    refused.toString().contains("toy ended with 137, signal 9; its last words: oh"),
                    refused.toString());
            assertEquals("ended with 137, signal 9; its last words: oh", server.lastWords());
        }
    }

    /// The shell and its three.
    private static List<ProcessHandle> allProcesses(ServerProcess server) throws InterruptedException {
        assertTrue(Wait.until(() -> Servers.processes(server).size() == 4, Servers.LONG));
        return Servers.processes(server);
    }
}
