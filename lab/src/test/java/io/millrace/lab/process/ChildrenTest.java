package io.millrace.lab.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Nothing of a child is left when it is closed.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChildrenTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void a_grandchild_goes_with_its_server() throws Exception {
        var server = Servers.start(withGrandchild("sleep 1000 &", "wait"));
        assertGoneAfterClose(server);
    }

    @Test
    void paused_processes_go_too() throws Exception {
        var server = Servers.start(withGrandchild("sleep 1000 &", "wait"));
        server.pause();
        assertGoneAfterClose(server);
    }

    @Test
    void those_go_that_ignore_sigterm() throws Exception {
        var server = Servers.start("trap '' TERM; " + withGrandchild("sleep 1000 &", "wait; wait"));
        assertGoneAfterClose(server);
    }

    @Test
    void those_go_that_ignore_sigterm_and_are_paused() throws Exception {
        var server = Servers.start("trap '' TERM; " + withGrandchild("sleep 1000 &", "wait; wait"));
        server.pause();
        assertGoneAfterClose(server);
    }

    @Test
    void an_orphan_goes_too() throws Exception {
        var server = Servers.start("sh -c 'sleep 1000 & echo $! >" + file() + "'; " + Servers.GREETS + "; sleep 1000");
        assertFalse(Servers.processes(server).contains(grandchild()), "it is no orphan");
        assertGoneAfterClose(server);
    }

    @Test
    void what_an_ended_server_left_goes_too() throws Exception {
        var server = Servers.start(withGrandchild("sleep 1000 &", "wait"));
        ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
        assertTrue(Wait.until(() -> !server.isAlive(), Servers.LONG));
        assertTrue(ProcessTree.isAlive(grandchild()));
        assertGoneAfterClose(server);
    }

    @Test
    void a_server_may_end_as_it_likes_when_told_to() throws Exception {
        var farewell = folder.resolve("farewell");
        var server = Servers.start(
                "trap 'echo bye >" + farewell + "; exit 0' TERM; " + Servers.GREETS + "; while :; do sleep 0.01; done");
        server.close();
        assertTrue(Files.readString(farewell).contains("bye"));
    }

    @Test
    void an_interrupted_thread_closes_as_well_and_stays_interrupted() throws Exception {
        var server = Servers.start("trap '' TERM; " + withGrandchild("sleep 1000 &", "wait; wait"));
        var processes = all(server);
        Thread.currentThread().interrupt();
        server.close();
        assertTrue(Thread.interrupted());
        assertTrue(Wait.until(() -> processes.stream().noneMatch(ProcessTree::isAlive), Servers.LONG));
    }

    private String withGrandchild(String starts, String stays) {
        return starts + " echo $! >" + file() + "; " + Servers.GREETS + "; " + stays;
    }

    private Path file() {
        return folder.resolve("pid");
    }

    private ProcessHandle grandchild() throws Exception {
        return ProcessHandle.of(Long.parseLong(Files.readString(file()).strip()))
                .orElseThrow();
    }

    private List<ProcessHandle> all(ServerProcess server) throws Exception {
        var processes = new ArrayList<>(Servers.processes(server));
        processes.add(grandchild());
        return processes;
    }

    private void assertGoneAfterClose(ServerProcess server) throws Exception {
        var processes = all(server);
        server.close();
        for (var process : processes) {
            assertFalse(ProcessTree.isAlive(process), process + " is still there");
        }
        assertFalse(server.isAlive());
    }
}
