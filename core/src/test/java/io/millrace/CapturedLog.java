package io.millrace;

import io.millrace.loop.LoopLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// What a logger writes while this is open, instead of writing it to the console.
final class CapturedLog extends Handler implements AutoCloseable {
    private final Logger logger;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private CapturedLog(String name) {
        logger = Logger.getLogger(name);
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    static CapturedLog of(String name) {
        return new CapturedLog(name);
    }

    /// The next line, with the stack of what was thrown.
    String next() throws InterruptedException {
        return lines.take();
    }

    List<String> linesSoFar() {
        LoopLog.settle();
        return new ArrayList<>(lines);
    }

    /// The lines so far that the log has where nothing is set.
    List<String> news() {
        return linesSoFar().stream().filter(line -> !line.contains("FINE: ")).toList();
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(new SimpleFormatter().format(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
        logger.setLevel(null);
    }
}
