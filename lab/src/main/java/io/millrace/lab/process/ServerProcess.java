package io.millrace.lab.process;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/// A server in a process of its own, with the processes that it starts. One thread at a time may use it; any
/// may call `close`.
///
/// ```text
///            greeting              pause            close
///   started ──────────▶ running ◀────────▶ paused ────────▶ gone
///      │                   │      resume
///      └─ refused: gone    └─ ends by itself: lastWords() says how
/// ```
public final class ServerProcess implements AutoCloseable {
    private static final Duration REST_OF_OUTPUT = Duration.ofMillis(300);
    private static final Duration ENDS_AFTER_OUTPUT = Duration.ofSeconds(1);
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(REST_OF_OUTPUT.toMillis(), TimeUnit.MILLISECONDS);

    private final ServerCommand command;
    private final Process process;
    private final ListeningLine greeting = new ListeningLine();
    private final PrintedLines output;
    private final PrintedLines errors;
    private final InetSocketAddress address;

    /// Starts a server and waits until it listens.
    ///
    /// @param prefix words before those of the command, such as `taskset -c 0`; they become the server
    ///     themselves, by `exec`, so that its process is the one that is known here
    /// @param patience how long it may take
    /// @throws IOException with a sentence that says why it does not run: it printed nothing or something else,
    ///     or ended; and with its last lines. It is gone then
    public static ServerProcess start(ServerCommand command, List<String> prefix, Duration patience)
            throws IOException, InterruptedException {
        if (command.listensAt().isPresent()
                && Listening.accepts(command.listensAt().get())) {
            throw new IOException(command.name() + " cannot listen on "
                    + text(command.listensAt().get()) + ": another process already does");
        }
        var words = new ArrayList<>(prefix);
        words.addAll(command.words());
        Process process;
        try {
            process = Children.start(new ProcessBuilder(words));
        } catch (IOException failed) {
            throw new IOException(command.name() + " could not be started: " + failed.getMessage(), failed);
        }
        try {
            return new ServerProcess(command, process, patience);
        } catch (Throwable failed) {
            Children.kill(process);
            throw failed;
        }
    }

    private ServerProcess(ServerCommand command, Process process, Duration patience)
            throws IOException, InterruptedException {
        this.command = command;
        this.process = process;
        this.output =
                PrintedLines.read(process.getInputStream(), greeting::line, greeting::end, command.name() + " stdout");
        this.errors = PrintedLines.read(process.getErrorStream(), line -> {}, () -> {}, command.name() + " stderr");
        // A child of it may have its output and outlive it.
        var ended = process.onExit().thenRunAsync(greeting::end, LATER);
        assert ended != null;
        var listensAt = command.listensAt();
        this.address = listensAt.isPresent() ? awaitListening(listensAt.get(), patience) : awaitGreeting(patience);
    }

    private InetSocketAddress awaitListening(InetSocketAddress at, Duration patience)
            throws IOException, InterruptedException {
        boolean hasHappened = Wait.until(() -> !process.isAlive() || Listening.at(at, process.pid()), patience);
        if (!process.isAlive()) {
            throw new IOException(command.name() + " did not listen; it " + lastWords());
        }
        if (!hasHappened) {
            throw new IOException(command.name() + " does not accept connections on " + text(at) + " after "
                    + text(patience) + "; it " + lastWords());
        }
        return at;
    }

    private InetSocketAddress awaitGreeting(Duration patience) throws IOException, InterruptedException {
        long startedNanos = System.nanoTime();
        Optional<InetSocketAddress> listening = greeting.await(patience);
        if (listening.isPresent()) {
            return listening.get();
        }
        boolean isInTime = System.nanoTime() - startedNanos < patience.toNanos();
        if (isInTime) {
            // Its output ended, and most likely so does the process.
            boolean ignored = process.waitFor(ENDS_AFTER_OUTPUT);
        }
        throw new IOException(command.name() + " " + whatItDid(isInTime, patience) + "; it " + lastWords());
    }

    private String whatItDid(boolean isInTime, Duration patience) {
        var time = isInTime ? "" : " for " + text(patience);
        var rubbish = greeting.rubbish();
        if (!rubbish.isEmpty()) {
            return "printed \"" + rubbish + "\" instead of \"listening on HOST:PORT\"" + time;
        }
        return isInTime ? "did not print its address" : "printed nothing" + time;
    }

    public String name() {
        return command.name();
    }

    /// The address it listens on.
    public InetSocketAddress address() {
        return address;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// How it ended, and the last lines of its standard error, or of its standard output when there is none. It
    /// goes with the name in front: `ended with 1; its last words: …`.
    public String lastWords() {
        try {
            if (!process.isAlive()) {
                errors.awaitEnd(REST_OF_OUTPUT);
                output.awaitEnd(REST_OF_OUTPUT);
            }
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        var tail = errors.tail().isEmpty() ? output.tail() : errors.tail();
        return state() + (tail.isEmpty() ? "" : "; its last words: " + tail);
    }

    /// Where a signal ended a process, its exit code is 128 and the signal's number.
    private String state() {
        if (process.isAlive()) {
            return "is still running";
        }
        int code = process.exitValue();
        return "ended with " + code + (code > 128 ? ", signal " + (code - 128) : "");
    }

    /// Stops all its processes, SIGSTOP. Returns when none runs any more.
    ///
    /// @throws IOException when it has ended, or does not stop
    public void pause() throws IOException {
        impose(Signal.STOP);
    }

    /// Resumes all its processes.
    ///
    /// @throws IOException when it has ended, or does not go on
    public void resume() throws IOException {
        impose(Signal.CONT);
    }

    private void impose(Signal signal) throws IOException {
        if (!process.isAlive()) {
            throw new IOException(command.name() + " " + lastWords());
        }
        try {
            var left = signal.impose(Children.tree(process));
            if (!left.isEmpty()) {
                throw new IOException(command.name() + " does not obey SIG" + signal + ": processes " + left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + command.name() + " got SIG" + signal);
        }
    }

    /// Ends it and all that descends from it, paused or not; see [Children#kill].
    @Override
    public void close() {
        Children.kill(process);
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
