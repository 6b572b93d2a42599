package io.millrace.lab.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The line `listening on HOST:PORT` of a server. Some lines may precede it: a JVM warns on standard output.
final class ListeningLine {
    private static final Pattern LINE = Pattern.compile("listening on \\[?([0-9A-Fa-f.:]+?)]?:(\\d{1,5})");
    private static final int LINES_BEFORE_IT = 20;

    private final CompletableFuture<InetSocketAddress> address = new CompletableFuture<>();
    /// Of the reading thread.
    private int otherLines;
    /// Empty before the first line that is not the greeting. Written by the reading thread.
    private volatile String rubbish = "";

    /// Called for each line of standard output.
    void line(String line) {
        if (address.isDone()) {
            return;
        }
        var greeting = LINE.matcher(line);
        if (greeting.matches()) {
            complete(line, greeting);
        } else {
            otherLine(line);
        }
    }

    private void complete(String line, Matcher greeting) {
        int port = Integer.parseInt(greeting.group(2));
        try {
            address.complete(new InetSocketAddress(InetAddress.ofLiteral(greeting.group(1)), port));
        } catch (IllegalArgumentException noAddress) {
            otherLine(line);
        }
    }

    private void otherLine(String line) {
        if (rubbish.isEmpty()) {
            rubbish = line;
        }
        if (++otherLines > LINES_BEFORE_IT) {
            end();
        }
    }

    /// Called when no line comes any more.
    void end() {
        address.completeExceptionally(new IOException("no greeting"));
    }

    /// Waits for it; empty when it did not come, and will not or not in time.
    Optional<InetSocketAddress> await(Duration patience) throws InterruptedException {
        try {
            return Optional.of(address.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | ExecutionException none) {
            return Optional.empty();
        }
    }

    /// What came instead, for a sentence; empty when nothing did.
    String rubbish() {
        return rubbish;
    }
}
