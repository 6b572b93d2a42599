package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class CoresTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void two_cores_are_one_each() {
        var cores = Cores.split(List.of(0, 1), "taskset");
        assertEquals("0", cores.server());
        assertEquals("1", cores.load());
        assertEquals(List.of("taskset", "-c", "0"), cores.serverPrefix());
        assertEquals(List.of("taskset", "-c", "1"), cores.loadPrefix());
    }

    @Test
    void the_first_half_is_the_servers() {
        var cores = Cores.split(List.of(0, 1, 2, 3, 4, 5, 6, 7), "taskset");
        assertEquals("0-3", cores.server());
        assertEquals("4-7", cores.load());
    }

    @Test
    void the_odd_one_is_the_loads() {
        var cores = Cores.split(List.of(0, 1, 2), "taskset");
        assertEquals("0", cores.server());
        assertEquals("1-2", cores.load());
    }

    @Test
    void gaps_are_kept() {
        var cores = Cores.split(List.of(1, 3, 4, 8, 9, 11), "taskset");
        assertEquals("1,3-4", cores.server());
        assertEquals("8-9,11", cores.load());
    }

    @Test
    void a_backend_shares_the_core_of_the_load_when_that_is_one() {
        var cores = Cores.split(List.of(0, 1), "taskset").withBackend();
        assertEquals("0", cores.server());
        assertEquals("1", cores.backend());
        assertEquals("1", cores.load());
        assertEquals(List.of("taskset", "-c", "1"), cores.backendPrefix());
    }

    @Test
    void a_backend_gets_the_smaller_part_of_the_loads_cores() {
        var cores = Cores.split(List.of(0, 1, 2, 3, 4, 5), "taskset").withBackend();
        assertEquals("0-2", cores.server());
        assertEquals("3", cores.backend());
        assertEquals("4-5", cores.load());
    }

    @Test
    void without_a_backend_nothing_is_kept_for_one() {
        assertEquals("", Cores.split(List.of(0, 1), "taskset").backend());
        assertEquals(List.of(), Cores.split(List.of(0), "taskset").withBackend().backendPrefix());
    }

    @Test
    void one_core_is_not_divided() {
        var cores = Cores.split(List.of(0), "taskset");
        assertEquals("", cores.server());
        assertEquals("", cores.load());
        assertEquals(List.of(), cores.serverPrefix());
        assertEquals(List.of(), cores.loadPrefix());
    }

    @Test
    void the_kernels_list_is_understood() {
        assertEquals(List.of(0, 1, 2, 8), Cores.allowed("Name:\tx\nCpus_allowed_list:\t0-2,8\nOther:\t1\n"));
        assertEquals(List.of(), Cores.allowed(""));
    }

    @Test
    void a_command_with_the_prefix_runs_on_those_cores() throws Exception {
        var cores = Cores.ofThisMachine();
        assumeTrue(!cores.server().isEmpty(), "there is no taskset here, or one core");
        assertEquals("Cpus_allowed_list:\t" + cores.server(), coresOf(cores.serverPrefix()));
        assertEquals("Cpus_allowed_list:\t" + cores.load(), coresOf(cores.loadPrefix()));
    }

    private static String coresOf(List<String> prefix) throws IOException {
        var words = new ArrayList<>(prefix);
        words.addAll(List.of("grep", "Cpus_allowed_list", "/proc/self/status"));
        var process = new ProcessBuilder(words).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertTrue(process.errorReader(UTF_8).lines().findAny().isEmpty());
        return said;
    }
}
