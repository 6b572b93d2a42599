package io.millrace.lab;

import io.millrace.lab.load.LoadAgent;
import io.millrace.lab.load.LoadAnswer;
import io.millrace.lab.load.LoadOrder;
import io.millrace.lab.process.Children;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// The load generator's process, as the lab sees it: orders go in, answers come out.
final class LoadProcess implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(15);
    private static final Duration SETTLE_PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_ANSWERS = 1024;

    private final Process process;
    private final Writer orders;
    private final BlockingQueue<LoadAnswer> answers = new ArrayBlockingQueue<>(MOST_ANSWERS);

    /// Whether the last order may still be running.
    private boolean isBusy;

    private LoadProcess(Process process) {
        this.process = process;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        Thread.ofVirtual().start(() -> listen(process.inputReader(StandardCharsets.UTF_8)));
    }

    /// @param prefix of its command, for instance `taskset`
    /// @param loops threads that make the load
    static LoadProcess start(List<String> prefix, int loops) throws IOException, InterruptedException {
        var command = new ArrayList<>(prefix);
        command.addAll(
                OwnJvm.command(MeasuredPeer.JVM_FLAGS, LoadAgent.class.getName(), List.of(Integer.toString(loops))));
        var started = new LoadProcess(
                Children.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT)));
        started.next(LoadAnswer.Ready.class, START_PATIENCE);
        return started;
    }

    long pid() {
        return process.pid();
    }

    /// Gives an order, after the last one is over.
    void carryOut(LoadOrder order) throws IOException, InterruptedException {
        while (isBusy) settle();
        isBusy = true;
        orders.write(LoadAgent.text(order) + "\n");
        orders.flush();
    }

    /// Skips answers of an order that was given up.
    private void settle() throws IOException, InterruptedException {
        try {
            if (next(System.nanoTime() + SETTLE_PATIENCE.toNanos()).isEmpty()) {
                throw new IOException("the load generator hangs");
            }
        } catch (IOException e) {
            if (isBusy) throw e;
        }
    }

    /// Waits for an answer of a kind, and passes over others.
    ///
    /// @throws IOException when the load failed, in its words, or did not answer in time
    <A extends LoadAnswer> A next(Class<A> kind, Duration patience) throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        while (true) {
            var answer = next(deadlineNanos);
            if (answer.isEmpty()) {
                throw new IOException("the load generator did not answer within " + patience.toSeconds() + " s");
            }
            if (kind.isInstance(answer.get())) return kind.cast(answer.get());
        }
    }

    /// Waits for the next answer.
    ///
    /// @param deadlineNanos by `System.nanoTime`; then it is empty
    Optional<LoadAnswer> next(long deadlineNanos) throws IOException, InterruptedException {
        var answer = answers.poll(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (answer == null) return Optional.empty();
        isBusy = answer instanceof LoadAnswer.Begun || answer instanceof LoadAnswer.Second;
        if (answer instanceof LoadAnswer.Failed failed) throw new IOException(failed.sentence());
        return Optional.of(answer);
    }

    private void listen(BufferedReader from) {
        try {
            answers.put(new LoadAnswer.Failed(end(from)));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Hears answers to the last one.
    ///
    /// @return why there are no more
    private String end(BufferedReader from) throws InterruptedException {
        try {
            for (String line; (line = from.readLine()) != null; ) answers.put(LoadAgent.answer(line));
            return "the load generator ended";
        } catch (IOException e) {
            return "the load generator's answer cannot be read: " + e.getMessage();
        }
    }

    @Override
    public void close() {
        Children.kill(process);
    }
}
