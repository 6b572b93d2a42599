package io.millrace.lab.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/// What a process prints, read to its end by a thread of its own, so that printing never blocks the process.
/// The last lines are kept.
final class PrintedLines {
    private static final int KEPT_LINES = 5;
    private static final int LINE_BYTES = 300;

    private final Thread reader;
    /// Guarded by itself.
    private final ArrayDeque<String> last = new ArrayDeque<>();

    private PrintedLines(InputStream stream, Consumer<String> onLine, Runnable onEnd, String threadName) {
        this.reader = Thread.ofPlatform().daemon().name(threadName).unstarted(() -> {
            try (var bytes = new BufferedInputStream(stream)) {
                readLines(bytes, onLine);
            } catch (IOException closed) {
                // Its process was killed.
            } finally {
                onEnd.run();
            }
        });
    }

    /// Starts to read.
    ///
    /// @param onLine called by the reading thread for each line, of which it gets no more than the beginning
    /// @param onEnd called by the reading thread after the last one
    static PrintedLines read(InputStream stream, Consumer<String> onLine, Runnable onEnd, String threadName) {
        var output = new PrintedLines(stream, onLine, onEnd, threadName);
        output.reader.start();
        return output;
    }

    private void readLines(InputStream bytes, Consumer<String> onLine) throws IOException {
        var line = new ByteArrayOutputStream();
        boolean isCut = false;
        for (int next = bytes.read(); next >= 0; next = bytes.read()) {
            if (isCut) {
                isCut = next != '\n';
                continue;
            }
            isCut = next != '\n' && line.size() == LINE_BYTES;
            if (next == '\n' || isCut) {
                keep(line, onLine);
            } else {
                line.write(next);
            }
        }
        if (line.size() > 0) {
            keep(line, onLine);
        }
    }

    private void keep(ByteArrayOutputStream line, Consumer<String> onLine) {
        var text = printable(line.toString(UTF_8));
        line.reset();
        synchronized (last) {
            if (last.size() == KEPT_LINES) {
                last.removeFirst();
            }
            last.addLast(text);
        }
        onLine.accept(text);
    }

    /// Without characters that would colour, move or ring a terminal.
    private static String printable(String text) {
        return text.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
                .replaceAll("\\p{Cntrl}", " ")
                .strip();
    }

    /// The last lines, in one; empty when there was none.
    String tail() {
        synchronized (last) {
            return String.join(
                    " | ", last.stream().filter(line -> !line.isEmpty()).toList());
        }
    }

    /// Waits for the rest of what an ended process printed. It does not come while a child of it has its output.
    void awaitEnd(Duration patience) throws InterruptedException {
        boolean ignored = reader.join(patience);
    }
}
