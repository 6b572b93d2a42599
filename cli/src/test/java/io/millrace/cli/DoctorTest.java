package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class DoctorTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void tells_the_system_the_transports_the_carriers_and_the_limits() throws Exception {
        try (var doctor = Program.start("doctor")) {
            var report = String.join("\n", doctor.rest());
            assertEquals(0, doctor.exitCode(), () -> report + doctor.err());
            for (var fact : List.of(
                    "kernel",
                    "JDK",
                    "uring",
                    "epoll",
                    "nio",
                    "carriers",
                    "engine",
                    "AES-GCM",
                    "processor",
                    "open files",
                    "somaxconn")) {
                assertTrue(report.lines().anyMatch(line -> line.startsWith("  " + fact + " ")), () -> fact + report);
            }
            assertTrue(report.contains("nio         works"), report);
            assertTrue(report.contains("available: the event loops carry them"), report);
            assertEquals("", doctor.err());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void ends_with_1_and_the_remedy_without_the_best_transport() throws Exception {
        try (var doctor = Program.start(List.of("--illegal-native-access=deny"), "doctor")) {
            var report = String.join("\n", doctor.rest());
            assertEquals(1, doctor.exitCode(), () -> report + doctor.err());
            assertTrue(report.contains("epoll       does not work: "), report);
            assertTrue(report.contains("auto        takes nio"), report);
            assertTrue(report.contains("--enable-native-access=io.millrace.core"), report);
        }
    }

    @Test
    void names_the_flag_that_gives_carriers() throws Exception {
        try (var doctor = Program.start(List.of("--enable-native-access=io.millrace.core"), "doctor")) {
            var report = String.join("\n", doctor.rest());
            assertTrue(report.contains("carriers    not available: "), report);
            assertTrue(report.contains("--add-opens java.base/java.lang=io.millrace.core"), report);
        }
    }
}
