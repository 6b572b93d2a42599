package io.millrace.os;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class LinuxTest {
    @Test
    @EnabledOnOs(
            value = OS.LINUX,
            architectures = {"amd64", "aarch64"})
    void this_machine_is_supported() {
        assertEquals(Optional.empty(), Linux.unsupportedReason());
    }

    @Test
    void both_processors_are_supported() {
        assertEquals(Optional.empty(), Linux.unsupportedPlatform("Linux", "amd64", LITTLE_ENDIAN));
        assertEquals(Optional.empty(), Linux.unsupportedPlatform("Linux", "aarch64", LITTLE_ENDIAN));
    }

    @Test
    void what_is_not_supported_is_named() {
        assertTrue(reason("Windows 11", "amd64").contains("Windows 11"));
        assertTrue(reason("Linux", "riscv64").contains("riscv64"));
        assertTrue(Linux.unsupportedPlatform("Linux", "aarch64", BIG_ENDIAN)
                .orElseThrow()
                .contains("big-endian"));
    }

    private static String reason(String osName, String osArch) {
        return Linux.unsupportedPlatform(osName, osArch, LITTLE_ENDIAN).orElseThrow();
    }
}
