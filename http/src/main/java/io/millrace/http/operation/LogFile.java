package io.millrace.http.operation;

import io.millrace.http.grammar.HttpGuards;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// Writes lines to a file, or to the standard output. Any thread submits them, and none waits for the file: a
/// separate thread writes, some 50 ms later, all lines that have collected.
///
/// ```
///   loops ── write ──► waiting, at most so many bytes ── drain ──► file
///                └───► dropped, and counted             under the lock, one thread at a time
/// ```
final class LogFile implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.http");
    private static final long GATHER_NANOS = 50_000_000;
    private static final long ONE_SECOND_NANOS = 1_000_000_000;
    private static final int AT_ONCE = 64 << 10;

    private final Optional<Path> path;
    private final long mostBytes;
    private final ConcurrentLinkedQueue<byte[]> lines = new ConcurrentLinkedQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final LongAdder dropped = new LongAdder();
    private final Thread writer;
    private volatile boolean isClosed;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.

    private final byte[] buffer = new byte[AT_ONCE];
    private OutputStream out;

    /// What was written last may have been half a line.
    private boolean isTorn;

    /// How many lines are lost since the file took the last one, and when it last refused; 0 while it takes them.
    private long lost;

    private long refusedNanos;

    /// @param path appended to; empty for the standard output
    /// @param mostBytes that wait
    /// @throws UncheckedIOException when the file cannot be opened
    LogFile(Optional<Path> path, long mostBytes) {
        this.path = path;
        this.mostBytes = mostBytes;
        this.out = open();
        this.writer =
                Thread.ofPlatform().daemon(true).name("millrace-access-log").start(this::run);
    }

    private OutputStream open() {
        if (path.isEmpty()) return new FileOutputStream(FileDescriptor.out);
        try {
            return new FileOutputStream(path.get().toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the access log " + path.get() + " cannot be opened: " + Wording.of(e)
                            + "; make its folder, or let this user write there",
                    e);
        }
    }

    /// Takes a line with its end, or drops it.
    void write(byte[] line) {
        long waiting = waitingBytes.addAndGet(line.length);
        if (waiting > mostBytes || isClosed) {
            waitingBytes.addAndGet(-line.length);
            dropped.increment();
            if (!isClosed)
                HttpGuards.ACCESS_LOG.acted(name(), "more than " + mostBytes + " bytes of lines are not written yet");
            return;
        }
        lines.add(line);
        // It was closed meanwhile, and nobody has taken the line since.
        if (isClosed && lines.remove(line)) {
            waitingBytes.addAndGet(-line.length);
            dropped.increment();
            return;
        }
        long many = mostBytes / 4;
        boolean isFirst = waiting == line.length;
        boolean isManyNow = waiting >= many && waiting - line.length < many;
        if (isFirst || isManyNow) LockSupport.unpark(writer);
    }

    private void run() {
        while (!isClosed) {
            if (waitingBytes.get() == 0) LockSupport.park(this);
            // So that not each line wakes this thread and is a system call.
            if (waitingBytes.get() < mostBytes / 4 && !isClosed) LockSupport.parkNanos(this, GATHER_NANOS);
            flush();
        }
    }

    /// Writes what waits; as far as that is possible.
    void flush() {
        lock.lock();
        try {
            int length = 0;
            // Not for ever, when they come as fast as they go: somebody else may want the lock.
            long left = mostBytes;
            for (var line = lines.poll(); line != null; line = left > 0 ? lines.poll() : null) {
                left -= line.length;
                if (length + line.length > buffer.length) {
                    writeOut(buffer, length);
                    length = 0;
                }
                if (line.length > buffer.length) writeOut(line, line.length);
                else System.arraycopy(line, 0, buffer, length, line.length);
                if (line.length <= buffer.length) length += line.length;
                waitingBytes.addAndGet(-line.length);
            }
            writeOut(buffer, length);
        } finally {
            lock.unlock();
        }
    }

    private void writeOut(byte[] bytes, int length) {
        if (length == 0) return;
        try {
            if (isTorn) out.write('\n');
            isTorn = false;
            out.write(bytes, 0, length);
            // A disk that is nearly full may take some lines and refuse others.
            if (lost > 0 && System.nanoTime() - refusedNanos > ONE_SECOND_NANOS) tellLost("is written again");
        } catch (IOException e) {
            isTorn = true;
            refused(bytes, length, e);
        }
    }

    /// Told once, until the file takes lines again.
    private void refused(byte[] bytes, int length, IOException e) {
        if (lost == 0) LOG.log(Level.WARNING, "{0}: lines are lost from now on: {1}", name(), Wording.of(e));
        refusedNanos = System.nanoTime();
        for (int i = 0; i < length; i++) {
            if (bytes[i] != '\n') continue;
            lost++;
            dropped.increment();
        }
    }

    private void tellLost(String what) {
        LOG.log(Level.WARNING, "{0} {1}: {2} lines were lost", name(), what, Long.toString(lost));
        lost = 0;
    }

    /// Goes on in a new file of the same name, after the old one was moved away. What waits still goes to the old
    /// one.
    ///
    /// @throws UncheckedIOException when it cannot be opened; then the old one stays
    void reopen() {
        if (path.isEmpty()) return;
        lock.lock();
        try {
            flush();
            if (isClosed) return;
            var old = out;
            out = open();
            isTorn = false;
            close(old);
        } finally {
            lock.unlock();
        }
    }

    private void close(OutputStream old) {
        try {
            old.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} cannot be closed: {1}", name(), Wording.of(e));
        }
    }

    /// Lines that were not written.
    long dropped() {
        return dropped.sum();
    }

    private String name() {
        return "the access log " + path.map(Path::toString).orElse("on standard output");
    }

    /// Writes what waits. The standard output stays open.
    @Override
    public void close() {
        if (isClosed) return;
        isClosed = true;
        LockSupport.unpark(writer);
        lock.lock();
        try {
            flush();
            if (lost > 0) tellLost("ends");
            if (path.isPresent()) close(out);
        } finally {
            lock.unlock();
        }
    }
}
