package io.millrace.lab.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FingerprintTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    @Test
    void this_machine_is_described() {
        assumeTrue(Proc.isThere(), "there is no /proc here");
        var machine = Fingerprint.take(List.of("busy"));
        assertFalse(machine.cpu().isBlank());
        assertTrue(machine.cores() >= 1);
        assertTrue(machine.kernel().contains(System.getProperty("os.version")), machine.kernel());
        assertTrue(machine.jdk().contains(Runtime.version().toString()), machine.jdk());
        assertTrue(machine.loadBefore() >= 0);
        assertTrue(
                OffsetDateTime.parse(machine.when()).isBefore(OffsetDateTime.now(ZoneId.systemDefault())),
                machine.when());
        assertEquals(List.of("busy"), machine.warnings());
    }

    @Test
    void what_the_system_does_not_tell_is_unknown() {
        var machine = Fingerprint.take(root, List.of());
        assertEquals("unknown", machine.cpu());
        assertEquals("unknown", machine.governor());
        assertEquals("unknown", machine.mitigations());
        assertEquals(-1, machine.loadBefore());
    }

    @Test
    void what_the_system_tells_is_taken() throws Exception {
        write("proc/cpuinfo", "processor\t: 0\nmodel name\t: A Fast One\nprocessor\t: 1\nmodel name\t: A Fast One\n");
        write("proc/loadavg", "1.25 0.50 0.10 1/100 4711\n");
        write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
        write("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
        write("sys/devices/system/cpu/vulnerabilities/retbleed", "Mitigation: untrained return thunk\n");
        write("sys/devices/system/cpu/vulnerabilities/spectre_v1", "Vulnerable\n");
        var machine = Fingerprint.take(root, List.of());
        assertEquals("A Fast One", machine.cpu());
        assertEquals(1.25, machine.loadBefore());
        assertEquals("performance", machine.governor());
        assertEquals("retbleed: Mitigation: untrained return thunk; spectre_v1: Vulnerable", machine.mitigations());
    }

    private void write(String file, String text) throws IOException {
        var path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
