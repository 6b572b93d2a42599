package io.millrace.loop;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lock that a thread waits for, and its owner. The JVM knows the owner of a `java.util.concurrent` lock
/// directly; the owner of a monitor, which may be a virtual thread, is only in a dump of all threads.
///
/// @param owner the owner's name
/// @param id    the owner's thread id
record AwaitedLock(String lock, String owner, long id) {
    private static final String TID = "\"tid\": ";
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\",?$");

    /// Empty when the thread waits for no lock, or the JVM cannot tell.
    static Optional<AwaitedLock> of(Thread thread) {
        try {
            return switch (thread.getState()) {
                case BLOCKED -> ofMonitor(thread);
                case WAITING, TIMED_WAITING -> ofLock(thread);
                default -> Optional.empty();
            };
        } catch (IOException | RuntimeException | LinkageError e) {
            return Optional.empty();
        }
    }

    private static Optional<AwaitedLock> ofLock(Thread thread) {
        var info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
        return info == null || info.getLockOwnerName() == null
                ? Optional.empty()
                : Optional.of(new AwaitedLock(info.getLockName(), info.getLockOwnerName(), info.getLockOwnerId()));
    }

    private static Optional<AwaitedLock> ofMonitor(Thread thread) throws IOException {
        var folder = Files.createTempDirectory("millrace");
        var file = folder.resolve("threads.json");
        try {
            var diagnostic = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            diagnostic.dumpThreads(file.toString(), ThreadDumpFormat.JSON);
            return new Dump(file).monitorOf(thread.threadId());
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /// The JVM's thread dump in JSON, which has a line for each value.
    private static final class Dump {
        private final List<String> lines;

        Dump(Path file) throws IOException {
            lines = Files.readAllLines(file).stream().map(String::strip).toList();
        }

        Optional<AwaitedLock> monitorOf(long thread) {
            int begin = lines.indexOf(TID + '"' + thread + "\",");
            var lock = begin < 0 ? null : value("\"blockedOn\": ", begin, end(begin));
            return lock == null ? Optional.empty() : owner(lock);
        }

        /// The thread with a frame that holds the lock.
        private Optional<AwaitedLock> owner(String lock) {
            for (int begin = end(-1); begin < lines.size(); begin = end(begin)) {
                var its = lines.subList(begin, end(begin));
                if (!its.contains('"' + lock + '"') && !its.contains('"' + lock + "\",")) continue;
                var id = value(TID, begin, end(begin));
                var name = value("\"name\": ", begin, end(begin));
                if (id != null) return Optional.of(new AwaitedLock(lock, String.valueOf(name), Long.parseLong(id)));
            }
            return Optional.empty();
        }

        /// Where the next thread begins.
        private int end(int begin) {
            int at = begin + 1;
            while (at < lines.size() && !lines.get(at).startsWith(TID)) at++;
            return at;
        }

        private @Nullable String value(String key, int from, int to) {
            for (var line : lines.subList(from, to)) {
                var value = QUOTED.matcher(line.startsWith(key) ? line.substring(key.length()) : "");
                if (value.find()) return value.group(1);
            }
            return null;
        }
    }
}
