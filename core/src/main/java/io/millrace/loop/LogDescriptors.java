package io.millrace.loop;

import static java.util.Objects.requireNonNull;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/// Descriptors kept for the log's first line. The JDK reads a file for it (time zones), and never tries again if it
/// could not: the line that reports a lack of descriptors must not be that one.
///
/// Any thread; the log's files are not read before the first line, because that would delay each start.
final class LogDescriptors {
    private static final int COUNT = 3;

    /// Guarded by this class, as is `isOpen`.
    private static final List<FileInputStream> KEPT = new ArrayList<>();

    private static boolean isOpen;

    private LogDescriptors() {}

    /// Keeps descriptors from now on, if there is a file to hold them open.
    static synchronized void keep() {
        if (isOpen || !KEPT.isEmpty()) return;
        try {
            for (int i = 0; i < COUNT; i++) KEPT.add(new FileInputStream("/dev/null"));
        } catch (IOException _) {
            // Another system, or no descriptor left.
        }
    }

    /// Called before a line is logged.
    static synchronized void openLog() {
        if (isOpen) return;
        isOpen = true;
        for (var kept : KEPT) close(kept);
        KEPT.clear();
        requireNonNull(ZoneId.systemDefault().getRules());
    }

    private static void close(FileInputStream kept) {
        try {
            kept.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
