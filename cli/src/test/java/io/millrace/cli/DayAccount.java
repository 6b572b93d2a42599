package io.millrace.cli;

import io.millrace.cli.DayLoad.Door;
import io.millrace.cli.DayLoad.Failed;
import io.millrace.cli.DaySteps.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Whether the lines of a day explain what went wrong in it.
final class DayAccount {
    private static final Pattern ACCESS =
            Pattern.compile("\\S+ /(?:get|chunked|put)/([A-Z]\\d+-\\d+)/\\d+ (\\d+) .* \"(.*)\"");
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final Pattern LOST = Pattern.compile("(\\d+) lines were lost");

    /// Of requests that were not simply answered, by their ids.
    private final Map<String, String> accessLines = new ConcurrentHashMap<>();

    private long lines;

    /// Takes the lines of an access log.
    void read(Path accessLog) {
        // A line that was cut off by a full disk may be anything.
        try (var all = Files.lines(accessLog, StandardCharsets.ISO_8859_1)) {
            all.forEach(this::read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String line) {
        var found = ACCESS.matcher(line);
        if (!found.matches()) return;
        lines++;
        if (!found.group(2).equals("200") || !found.group(3).equals("-")) accessLines.put(found.group(1), line);
    }

    long lines() {
        return lines;
    }

    /// How many lines the service said it had lost.
    static long lost(DayLog log) {
        return log.all().stream()
                .map(line -> LOST.matcher(line.text()))
                .flatMap(Matcher::results)
                .mapToLong(match -> Long.parseLong(match.group(1)))
                .sum();
    }

    /// Those that nothing explains: there was no fault of a backend, or no line says so.
    List<String> unexplained(Collection<Failed> failed, DaySteps steps, DayLog log) {
        return failed.stream()
                .filter(one -> steps.faults.stream().noneMatch(fault -> explains(fault, one, steps, log)))
                .filter(one -> !isHandshakeTimeout(one, log))
                .map(one -> one + " / " + accessLines.get(one.id()))
                .toList();
    }

    private boolean explains(Span fault, Failed one, DaySteps steps, DayLog log) {
        if (!fault.meets(one.fromNanos(), one.toNanos())) return false;
        if (one.door() != Door.BYTES && accessLines.containsKey(one.id())) return true;
        boolean mayBeLost = steps.fullDisks.stream().anyMatch(full -> full.meets(one.fromNanos(), one.toNanos()));
        return (one.door() == Door.BYTES || mayBeLost) && isTold(fault, log);
    }

    /// A machine that has much else to do may not get through the handshakes of a new process in their time. The guard
    /// says so, once a second.
    private static boolean isHandshakeTimeout(Failed one, DayLog log) {
        if (one.door() != Door.SECURE) return false;
        return log.all().stream()
                .filter(line -> line.text().contains("guard tls.timeout acted"))
                .anyMatch(line -> line.nanos() >= one.fromNanos() && line.nanos() <= one.toNanos() + SECOND_NANOS);
    }

    /// The log names the backend meanwhile.
    private static boolean isTold(Span fault, DayLog log) {
        return log.all().stream()
                .filter(line -> line.nanos() >= fault.fromNanos() && line.nanos() <= fault.toNanos())
                .anyMatch(line -> line.text().contains(fault.what() + " is unhealthy")
                        || line.text().contains(fault.what() + " is ejected"));
    }

    /// Requests that were sent again although nothing had ended that could have closed their connection.
    static List<Failed> withoutCause(Collection<Failed> sentAgain, DaySteps steps) {
        return sentAgain.stream()
                .filter(one -> {
                    var ended = steps.changes.stream();
                    var causes = one.door() == Door.BYTES ? Stream.concat(ended, steps.faults.stream()) : ended;
                    return causes.noneMatch(span -> span.meets(one.fromNanos(), one.toNanos()));
                })
                .toList();
    }
}
