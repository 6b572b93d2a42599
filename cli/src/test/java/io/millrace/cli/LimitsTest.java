package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.cli.LimitOptions.OpenFiles;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LimitsTest {
    @Test
    void open_files_are_read_from_proc() {
        var files = OpenFiles.in(List.of(
                "Limit                     Soft Limit           Hard Limit           Units     ",
                "Max processes             23992                23992                processes ",
                "Max open files            1024                 524288               files     "));
        assertEquals(Optional.of(new OpenFiles("1024", "524288")), files);
    }

    @Test
    void few_open_files_have_a_remedy() {
        assertTrue(new OpenFiles("1024", "524288").remedy().orElse("").contains("'ulimit -n' is 1024"));
        assertEquals(Optional.empty(), new OpenFiles("20000", "20000").remedy());
        assertEquals(Optional.empty(), new OpenFiles("unlimited", "unlimited").remedy());
    }

    @Test
    void a_short_backlog_has_a_remedy() {
        assertTrue(LimitOptions.backlogRemedy(128).orElse("").contains("net.core.somaxconn=4096"));
        assertEquals(Optional.empty(), LimitOptions.backlogRemedy(4096));
    }
}
