package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.NoticeListener;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a service manager hears.
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class SupervisorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long OWN = ProcessHandle.current().pid();

    @TempDir
    Path folder;

    private String path() {
        return folder.resolve("notify").toString();
    }

    private static Supervisor at(String name) throws IOException {
        return Supervisor.of(Map.of("NOTIFY_SOCKET", name), OWN);
    }

    private static Optional<Duration> watchdog(Map<String, String> environment) throws IOException {
        return Supervisor.of(environment, OWN).watchdog();
    }

    @Test
    void a_manager_hears_what_the_process_does() throws Exception {
        try (var ear = new NoticeListener(path(), PATIENCE)) {
            var manager = at(path());
            manager.ready("serves");
            assertEquals(Map.of("READY", "1", "STATUS", "serves"), ear.next());
            manager.alive();
            assertEquals(Map.of("WATCHDOG", "1"), ear.next());
            manager.followed(17);
            assertEquals(Map.of("MAINPID", "17"), ear.next());
            manager.readyInstead("serves");
            assertEquals(Map.of("MAINPID", "" + OWN, "READY", "1", "STATUS", "serves"), ear.next());
            manager.stopping();
            assertEquals(Map.of("STOPPING", "1", "STATUS", "draining"), ear.next());
        }
    }

    @Test
    void a_reload_has_the_time_of_its_beginning() throws Exception {
        try (var ear = new NoticeListener(path(), PATIENCE)) {
            long before = System.nanoTime() / 1000;
            at(path()).reloading();
            var heard = ear.next();
            long at = Long.parseLong(heard.get("MONOTONIC_USEC"));
            assertEquals(List.of("RELOADING", "MONOTONIC_USEC", "STATUS"), List.copyOf(heard.keySet()));
            assertTrue(at >= before && at <= System.nanoTime() / 1000, heard::toString);
        }
    }

    @Test
    void an_abstract_address_is_one_too() throws Exception {
        var name = "@millrace-" + UUID.randomUUID();
        try (var ear = new NoticeListener(name, PATIENCE)) {
            at(name).ready("serves");
            assertEquals("1", ear.next().get("READY"));
        }
    }

    @Test
    void a_status_stays_one_line() throws Exception {
        try (var ear = new NoticeListener(path(), PATIENCE)) {
            at(path()).ready("a\nMAINPID=1");
            assertEquals(Map.of("READY", "1", "STATUS", "a MAINPID=1"), ear.next());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "vsock:2:1", "relative", "@", "/nobody/is/here"})
    void a_manager_that_cannot_be_told_does_no_harm(String name) throws Exception {
        try (var log = CapturedLog.of("io.millrace.manager")) {
            at(name).ready("serves");
            assertEquals(1, log.linesSoFar().size(), log.linesSoFar()::toString);
        }
    }

    @Test
    void without_a_manager_nothing_is_logged() throws Exception {
        try (var log = CapturedLog.of("io.millrace.manager")) {
            Supervisor.of(Map.of(), OWN).ready("serves");
            assertEquals(List.of(), log.linesSoFar());
        }
    }

    @Test
    void the_watchdog_is_for_the_process_it_names() throws Exception {
        assertEquals(Optional.of(Duration.ofSeconds(3)), watchdog(Map.of("WATCHDOG_USEC", "3000000")));
        assertEquals(
                Optional.of(Duration.ofSeconds(3)),
                watchdog(Map.of("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", "" + OWN)));
        assertEquals(Optional.empty(), watchdog(Map.of("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", "1")));
        assertEquals(Optional.empty(), watchdog(Map.of("WATCHDOG_USEC", "soon")));
        assertEquals(Optional.empty(), watchdog(Map.of()));
    }
}
