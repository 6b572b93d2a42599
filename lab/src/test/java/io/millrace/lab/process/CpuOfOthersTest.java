package io.millrace.lab.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class CpuOfOthersTest {
    @Test
    void busy_is_what_processes_used() {
        assertEquals(60_000_000, CpuOfOthers.busyNanos("cpu  1 2 3 400 50 60 70 80 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\n"));
        assertEquals(0, CpuOfOthers.busyNanos(""));
    }

    @Test
    void a_process_that_is_not_ours_shows() {
        assumeTrue(Proc.isThere(), "there is no /proc here");
        var others = CpuOfOthers.start();
        Burn.cpu(300_000_000);
        assertTrue(others.coresUsedSince(0) > 0);
    }

    @Test
    void what_is_ours_is_no_others() {
        var others = CpuOfOthers.start();
        assertEquals(0, others.coresUsedSince(Long.MAX_VALUE / 2));
    }
}
