package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Linux's figures about one process, proc(5). For one that has ended, figures are 0 and texts empty.
record Proc(long pid) {
    private static final Path ROOT = Path.of("/proc");
    /// The kernel counts in hundredths of a second for everybody who reads it, whatever it uses itself.
    private static final long TICK_NANOS = 10_000_000;

    /// Whether this system has such a file system.
    static boolean isThere() {
        return Files.exists(ROOT.resolve("self/stat"));
    }

    /// Those that run now.
    static List<Proc> all() {
        return numbersIn(ROOT).stream().map(Proc::new).toList();
    }

    static Proc of(ProcessHandle process) {
        return new Proc(process.pid());
    }

    boolean isStopped() {
        return state() == 'T';
    }

    /// Whether it has ended and is only an entry that its parent has not collected yet.
    boolean isZombie() {
        return state() == 'Z';
    }

    private char state() {
        var fields = stat();
        return fields.length == 0 ? '?' : fields[0].charAt(0);
    }

    /// Of all its threads, also those that have ended. Comes in steps of 10 ms.
    long cpuNanos() {
        var fields = stat();
        return fields.length < 13 ? 0 : (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NANOS;
    }

    /// Of its children that have ended and that it waited for, and of theirs. Comes in steps of 10 ms.
    long cpuNanosOfEndedChildren() {
        var fields = stat();
        return fields.length < 15 ? 0 : (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) * TICK_NANOS;
    }

    /// The fields that follow the program's name, which may itself contain blanks and parentheses.
    private String[] stat() {
        var text = text("stat");
        int nameEnds = text.lastIndexOf(')');
        return nameEnds < 0
                ? new String[0]
                : text.substring(nameEnds + 1).strip().split(" ", -1);
    }

    /// Memory it has in RAM, with what it shares.
    long residentBytes() {
        return number(text("status"), "VmRSS:") * 1024;
    }

    /// Its threads, by their numbers.
    List<Long> threads() {
        return numbersIn(folder().resolve("task"));
    }

    /// Time on a CPU in nanoseconds; that of a running thread is as old as its last tick.
    long cpuNanosOf(long thread) {
        var fields = text("task/" + thread + "/schedstat").strip().split(" ", -1);
        return fields[0].isEmpty() ? 0 : Long.parseLong(fields[0]);
    }

    long contextSwitchesOf(long thread) {
        var status = text("task/" + thread + "/status");
        return number(status, "\nvoluntary_ctxt_switches:") + number(status, "nonvoluntary_ctxt_switches:");
    }

    boolean isJvm() {
        return text("maps").contains("/libjvm.so");
    }

    /// Whether it was started with this in its environment.
    boolean hasInEnvironment(String variable) {
        return text("environ").contains(variable + "\0");
    }

    /// The first number behind a word.
    static long number(String text, String word) {
        int at = text.indexOf(word);
        if (at < 0) {
            return 0;
        }
        int from = at + word.length();
        while (from < text.length() && Character.isWhitespace(text.charAt(from))) {
            from++;
        }
        int to = from;
        while (to < text.length() && Character.isDigit(text.charAt(to))) {
            to++;
        }
        return from == to ? 0 : Long.parseLong(text.substring(from, to));
    }

    String text(String file) {
        return read(folder().resolve(file));
    }

    /// A file's content; empty when we cannot read it.
    static String read(Path file) {
        try {
            return Files.readString(file, ISO_8859_1);
        } catch (IOException unreadable) {
            return "";
        }
    }

    private Path folder() {
        return ROOT.resolve(Long.toString(pid));
    }

    private static List<Long> numbersIn(Path folder) {
        var numbers = new ArrayList<Long>();
        try (var entries = Files.newDirectoryStream(folder, "[0-9]*")) {
            for (var entry : entries) {
                numbers.add(Long.parseLong(entry.getFileName().toString()));
            }
        } catch (IOException | DirectoryIteratorException ended) {
            // What was found so far is what there is.
        }
        return numbers;
    }
}
