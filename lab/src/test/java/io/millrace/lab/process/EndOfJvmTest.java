package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.DefaultSignals;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// However the lab's JVM ends, nothing of its children is left. The lab here is [ToyLab], in a JVM of its own.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndOfJvmTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String SERVER = "sleep 1000 & " + Servers.GREETS + "; wait";

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "HUP"})
    void children_go_when_a_signal_ends_it(String signal) throws Exception {
        assertNothingIsLeft(lab(SERVER, "stay"), signal);
    }

    @Test
    void paused_children_go() throws Exception {
        assertNothingIsLeft(lab(SERVER, "pause"), "TERM");
    }

    @Test
    void children_go_that_ignore_sigterm() throws Exception {
        assertNothingIsLeft(lab("trap '' TERM INT; " + SERVER + "; wait", "stay"), "INT");
    }

    @Test
    void children_go_when_main_returns() throws Exception {
        assertNothingIsLeft(lab(SERVER, "return"), "");
    }

    @Test
    void a_child_that_is_being_started_goes() throws Exception {
        assertNothingIsLeft(lab("sleep 1000 & sleep 1000; :", "start"), "TERM");
    }

    @Test
    void nothing_is_started_any_more() throws Exception {
        var lab = lab(SERVER, "start-in-the-end");
        assertEquals(
                "it refused: the lab is ending and starts nothing more",
                lab.inputReader(UTF_8).readLine());
        assertEquals(0, lab.waitFor());
    }

    @Test
    void the_lab_of_these_tests_hears_what_the_tests_ignore() throws Exception {
        var words = new ArrayList<>(List.of("sh", "-c", "trap '' HUP INT && exec \"$@\"", "sh"));
        words.addAll(DefaultSignals.in(List.of("sh", "-c", "kill -INT $$; kill -HUP $$; echo deaf")));
        var deaf = new ProcessBuilder(words).start();
        assertEquals("", new String(deaf.getInputStream().readAllBytes(), UTF_8));
        assertEquals(130, deaf.waitFor());
    }

    private static Process lab(String server, String does) throws IOException {
        return new ProcessBuilder(DefaultSignals.in(TestJvm.command(ToyLab.class, server, does)))
                .redirectError(Redirect.INHERIT)
                .start();
    }

    private static void assertNothingIsLeft(Process lab, String signal) throws Exception {
        var processes = new ArrayList<ProcessHandle>();
        for (var pid : List.of(lab.inputReader(UTF_8).readLine().split(" ", -1))) {
            processes.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
        }
        try {
            assertTrue(processes.size() > 1, "the server of the lab has no child: " + processes);
            if (signal.isEmpty()) {
                lab.getOutputStream().close();
            } else {
                Programs.run(List.of("sh", "-c", "kill -" + signal + " " + lab.pid()));
            }
            lab.waitFor();
            for (var process : processes) {
                assertFalse(ProcessTree.isAlive(process), process + " is still there");
            }
        } finally {
            // Without the lab they have no parent any more.
            processes.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
