package io.millrace.lab;

import io.millrace.lab.load.Exchange;
import io.millrace.lab.load.LoadAnswer;
import io.millrace.lab.load.LoadOrder;
import io.millrace.lab.load.LoadResult;
import io.millrace.lab.process.JvmMeter;
import io.millrace.lab.process.JvmReading;
import io.millrace.lab.process.ProcessMeter;
import io.millrace.lab.process.ServerProcess;
import io.millrace.lab.process.Usage;
import io.millrace.lab.report.Jvm;
import io.millrace.lab.report.LoadShape;
import io.millrace.lab.report.Moment;
import io.millrace.lab.report.Round;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A running server whose use of resources can be read. It is paused except in its turn.
final class Contender implements AutoCloseable {
    /// How long to wait for a connection, and for a message to come back.
    private static final double PATIENCE_SECONDS = 5;

    private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(10);
    private static final Duration COUNT_PATIENCE = Duration.ofMinutes(1);
    private static final int ATTEMPTS = 3;
    private static final int CHECK_CONNECTIONS = 4;
    private static final double CHECK_SECONDS = 0.2;
    private static final double RAMP_SECONDS = 0.3;

    /// The end of a round that is not measured, because some connections may have finished.
    private static final long TAIL_NANOS = 100_000_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private static final String NONE_BEGAN =
            "no message began in the measured time: all of it passed before one came back, or the machine is too busy";

    private final Candidate candidate;
    private final ServerProcess server;
    private final LoadProcess load;
    private final Optional<Identity> identity;
    private final ProcessMeter meter;
    private final Optional<JvmMeter> jvm;

    /// The shapes that it is not measured in.
    private final Set<LoadShape> unfit = new HashSet<>();

    /// @param identity of the server; empty in the clear
    Contender(Candidate candidate, ServerProcess server, LoadProcess load, Optional<Identity> identity) {
        this.candidate = candidate;
        this.server = server;
        this.load = load;
        this.identity = identity;
        this.meter = ProcessMeter.of(server.pid());
        this.jvm = JvmMeter.attach(server.pid());
    }

    Candidate candidate() {
        return candidate;
    }

    ServerProcess server() {
        return server;
    }

    ProcessMeter meter() {
        return meter;
    }

    Optional<JvmMeter> jvm() {
        return jvm;
    }

    /// Sends messages and compares every byte that comes back, or sends requests and checks the responses.
    ///
    /// @throws IOException with a sentence, when any of it is wrong
    void check(LoadShape trial) throws IOException, InterruptedException {
        boolean isHttp = trial.exchange().isHttp();
        if (isHttp) checkResponse(trial);
        load.carryOut(order(trial.connections(CHECK_CONNECTIONS), 0, CHECK_SECONDS, true));
        var result = result();
        var isNone = server.name() + " is not a correct " + kind(trial.exchange()) + " server: ";
        if (result.errors() > 0) throw new IOException(isNone + result.firstError());
        if (result.messages() == 0) throw new IOException(isNone + NONE_BEGAN);
    }

    private static String kind(Exchange exchange) {
        if (exchange.isHttp()) return "HTTP";
        return exchange.isBroadcast() ? "broadcasting" : "echo";
    }

    private void checkResponse(LoadShape trial) throws IOException, InterruptedException {
        load.carryOut(order(LoadOrder.Kind.CHECK, trial, 0, 0, true));
        try {
            load.next(LoadAnswer.Checked.class, ANSWER_PATIENCE);
        } catch (IOException e) {
            throw new IOException(server.name() + ": " + e.getMessage(), e);
        }
    }

    /// No longer measures it in shapes that differ from this one only in connections and handler.
    void sitOut(LoadShape trial) {
        unfit.add(key(trial));
    }

    boolean isFitFor(LoadShape shape) {
        return !unfit.contains(key(shape)) && !unfit.contains(shape);
    }

    /// No longer measures it in this one shape.
    void sitOutOnly(LoadShape shape) {
        unfit.add(shape);
    }

    private static LoadShape key(LoadShape shape) {
        return shape.connections(0).handler("");
    }

    /// One short window, for its rate alone.
    double warmUp(LoadShape trial, double seconds) throws IOException, InterruptedException {
        load.carryOut(order(trial, 0, seconds, false));
        return result().messagesPerSecond();
    }

    /// So many messages, however long that takes.
    void send(LoadShape trial, long messages) throws IOException, InterruptedException {
        load.carryOut(order(trial, 0, 0, false).messages(messages));
        var result = load.next(LoadAnswer.Done.class, COUNT_PATIENCE).result();
        if (result.errors() > 0) throw new IOException(server.name() + ": " + result.firstError());
    }

    /// A timed window.
    ///
    /// @throws IOException with a sentence, when nothing comes back, or the machine is too busy to look in time
    Round round(LoadShape shape, double seconds) throws IOException, InterruptedException {
        for (int i = 0; i < ATTEMPTS; i++) {
            var round = attempt(shape, seconds);
            if (round.isPresent()) return round.get();
        }
        throw new IOException(
                "the machine is too busy: the load was over before " + server.name() + " could be " + "measured");
    }

    /// Empty when the window was missed.
    private Optional<Round> attempt(LoadShape shape, double seconds) throws IOException, InterruptedException {
        load.carryOut(order(shape, RAMP_SECONDS, seconds, false));
        load.next(LoadAnswer.Begun.class, ANSWER_PATIENCE);
        long begunNanos = System.nanoTime();
        Thread.sleep(Duration.ofNanos((long) (RAMP_SECONDS * NANOS_PER_SECOND)));
        var jvmBefore = readJvm();
        var before = meter.read();
        var overTime = watch(
                begunNanos, before, begunNanos + (long) ((RAMP_SECONDS + seconds) * NANOS_PER_SECOND) - TAIL_NANOS);
        if (overTime.isEmpty()) return Optional.empty();
        var after = meter.read();
        var jvmAfter = readJvm();
        var result = result();
        if (result.messages() == 0) throw new IOException(result.errors() > 0 ? result.firstError() : NONE_BEGAN);
        return Optional.of(round(result, before, after, jvmOf(jvmBefore, jvmAfter, result), overTime.get()));
    }

    /// What happens until shortly before the end; empty when that comes early although nothing failed.
    private Optional<List<Moment>> watch(long begunNanos, Usage before, long endNanos)
            throws IOException, InterruptedException {
        var overTime = new ArrayList<Moment>();
        var last = before;
        while (true) {
            var answer = load.next(endNanos);
            if (answer.isEmpty()) return Optional.of(overTime);
            if (answer.get() instanceof LoadAnswer.Done done) {
                var result = done.result();
                if (result.errors() == 0) return Optional.empty();
                throw new IOException(
                        "the load ended early, with " + result.errors() + " errors, the first: " + result.firstError());
            }
            if (!(answer.get() instanceof LoadAnswer.Second second)) continue;
            var now = meter.read();
            overTime.add(new Moment(
                    (now.atNanos() - begunNanos) / NANOS_PER_SECOND,
                    second.messagesPerSecond(),
                    cpuPercent(last, now),
                    second.megabytesPerSecond(),
                    NANOS_PER_SECOND
                            * (now.contextSwitches() - last.contextSwitches())
                            / (now.atNanos() - last.atNanos())));
            last = now;
        }
    }

    private static Round round(LoadResult result, Usage before, Usage after, Optional<Jvm> jvm, List<Moment> overTime) {
        double seconds = (after.atNanos() - before.atNanos()) / NANOS_PER_SECOND;
        double messages = result.messagesPerSecond() * seconds;
        return new Round(
                result.messagesPerSecond(),
                result.megabytesPerSecond(),
                cpuPercent(before, after),
                (after.cpuNanos() - before.cpuNanos()) / 1e3 / messages,
                (after.contextSwitches() - before.contextSwitches()) / messages,
                result.latency(),
                jvm,
                after.rssBytes(),
                overTime,
                !result.invalidBecause().isEmpty(),
                result.errors(),
                result.errors() == 0 ? "" : result.errors() + " errors, the first: " + result.firstError());
    }

    private static double cpuPercent(Usage from, Usage to) {
        return 100.0 * (to.cpuNanos() - from.cpuNanos()) / (to.atNanos() - from.atNanos());
    }

    // The JVM's figures.

    private record TimedReading(long atNanos, JvmReading reading) {}

    private Optional<TimedReading> readJvm() throws IOException {
        if (jvm.isEmpty()) return Optional.empty();
        var reading = jvm.get().read();
        return Optional.of(new TimedReading(System.nanoTime(), reading));
    }

    private static Optional<Jvm> jvmOf(Optional<TimedReading> before, Optional<TimedReading> after, LoadResult result) {
        if (before.isEmpty() || after.isEmpty()) return Optional.empty();
        var from = before.get().reading();
        var to = after.get().reading();
        double messages = result.messagesPerSecond()
                * (after.get().atNanos() - before.get().atNanos())
                / NANOS_PER_SECOND;
        return Optional.of(new Jvm(
                to.heapUsedBytes(),
                to.heapCommittedBytes(),
                to.gcCount() - from.gcCount(),
                to.gcMillis() - from.gcMillis(),
                (to.allocatedBytes() - from.allocatedBytes()) / messages));
    }

    // Orders.

    private LoadOrder order(LoadShape shape, double warmUpSeconds, double seconds, boolean verify) {
        return order(LoadOrder.Kind.LOAD, shape, warmUpSeconds, seconds, verify);
    }

    private LoadOrder order(
            LoadOrder.Kind kind, LoadShape shape, double warmUpSeconds, double seconds, boolean verify) {
        var address = server.address();
        return new LoadOrder(
                kind,
                address.getHostString(),
                address.getPort(),
                identity.map(Identity::chain).map(Path::toString).orElse(""),
                shape.connections(),
                shape.exchange(),
                shape.sizeBytes(),
                shape.depth(),
                warmUpSeconds,
                seconds,
                0,
                verify,
                PATIENCE_SECONDS);
    }

    private LoadResult result() throws IOException, InterruptedException {
        return load.next(LoadAnswer.Done.class, ANSWER_PATIENCE).result();
    }

    /// Opens connections that stay idle.
    ///
    /// @param messages exchanged on each, 0 or 1
    void hold(LoadShape shape, int messages) throws IOException, InterruptedException {
        load.carryOut(order(LoadOrder.Kind.HOLD, shape, 0, 0, false).messages(messages));
        load.next(LoadAnswer.Held.class, ANSWER_PATIENCE.multipliedBy(10));
    }

    /// Closes them.
    ///
    /// @throws IOException when the server had closed some
    void release(LoadShape shape) throws IOException, InterruptedException {
        int connections = shape.connections();
        load.carryOut(order(LoadOrder.Kind.RELEASE, shape, 0, 0, false));
        int stillOpen = load.next(LoadAnswer.Held.class, ANSWER_PATIENCE).connections();
        if (stillOpen < connections) {
            throw new IOException(server.name() + " closed " + (connections - stillOpen) + " of " + connections
                    + " idle connections");
        }
    }

    @Override
    public void close() {
        // In this order: a paused JVM would not answer.
        server.close();
        jvm.ifPresent(JvmMeter::close);
    }
}
