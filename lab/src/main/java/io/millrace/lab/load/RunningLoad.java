package io.millrace.lab.load;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Tcp;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A running load: connections to a server that send, judge what comes back, and measure how long it took.
///
/// ```java
/// try (var loops = EventLoops.of(1)) {
///     var load = RunningLoad.start(LoadSettings.to(server).connections(50), loops);
///     LoadResult result = load.await(progress -> System.out.println(progress.messagesPerSecond()));
/// }
/// ```
/// It lives on the loops it was given, which do the work, and ends there; any thread may call its methods.
public final class RunningLoad {
    /// How many connections are attempted at once: a server's queue of new ones may be short.
    private static final int ATTEMPTS = 32;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LOOP_PATIENCE_SECONDS = 10;
    private static final double BUSY_SHARE = 0.95;
    private static final double LATE_SHARE = 0.01;

    private final LoadSettings settings;
    private final EventLoops loops;
    private final LoadClock clock;
    private final Function<Loop, LoadPart> parting;
    private final CompletableFuture<LoadResult> result = new CompletableFuture<>();
    private final AtomicInteger attempted = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();

    /// Guarded by itself; complete when all connections are.
    private final List<LoadPart> parts = new ArrayList<>();

    /// Completed with the moment when the first message could start.
    private final CompletableFuture<Long> begun = new CompletableFuture<>();

    private RunningLoad(LoadSettings settings, EventLoops loops, LoadClock clock) {
        this.settings = settings;
        this.loops = loops;
        this.clock = clock;
        this.parting = parting();
    }

    private Function<Loop, LoadPart> parting() {
        var opening = new Opening();
        if (settings.content() instanceof FanOutMessages messages)
            return loop -> new FanOutLoop(settings, messages, clock, loop, opening);
        var protocols = Conversation.about(settings.content());
        return loop -> new LoadLoop(settings, clock, protocols.get(), loop, opening);
    }

    /// Starts to connect; the load begins when all connections are open.
    public static RunningLoad start(LoadSettings settings, EventLoops loops) {
        return start(settings, loops, LoadClock.SYSTEM);
    }

    static RunningLoad start(LoadSettings settings, EventLoops loops, LoadClock clock) {
        var load = new RunningLoad(settings, loops, clock);
        load.result.exceptionally(_ -> load.abandoned());
        for (int i = 0; i < ATTEMPTS; i++) load.connectNext();
        return load;
    }

    /// Nothing is left of it.
    private @Nullable LoadResult abandoned() {
        for (var part : parts()) part.loop().execute(part::over);
        return null;
    }

    // Connecting.

    private void connectNext() {
        int number = attempted.getAndIncrement();
        if (number >= settings.connections() || result.isDone()) return;
        var joined = new AtomicReference<LoadPart.@Nullable Entrant>();
        Tcp.connect(connect(number), connection -> {
                    var handler = part(connection).join(connection, number);
                    joined.set(handler);
                    return handler;
                })
                .whenComplete((_, failure) -> {
                    var handler = joined.get();
                    if (failure == null && handler != null) handler.greet();
                    else result.completeExceptionally(new IOException(sentence(number, failure), failure));
                });
    }

    /// A message to all is counted by one loop.
    private Connect connect(int number) {
        var to = settings.connect(number);
        return settings.content() instanceof FanOutMessages
                ? to.loop(loops.all().getFirst())
                : to.loops(loops);
    }

    /// Hears what becomes of connections, on any of the loops.
    private final class Opening implements LoadPart.Opening {
        @Override
        public void opened() {
            if (opened.incrementAndGet() == settings.connections()) begin();
            else connectNext();
        }

        @Override
        public void failed(int number, String why) {
            result.completeExceptionally(new IOException(sentence(number, why)));
        }
    }

    @SuppressWarnings("ReferenceEquality") // the loop itself
    private LoadPart part(Connection connection) {
        synchronized (parts) {
            for (var part : parts) if (part.loop() == connection.loop()) return part;
            var part = parting.apply(connection.loop());
            parts.add(part);
            return part;
        }
    }

    private String sentence(int number, Throwable failure) {
        return sentence(number, String.valueOf(failure.getMessage()));
    }

    private String sentence(int number, String why) {
        return "connection " + number + " cannot be made: " + why;
    }

    // Running.

    private void begin() {
        long originNanos = clock.nanos();
        long joined = 0;
        for (var part : parts()) {
            long from = settings.messages() * joined / settings.connections();
            joined += part.size();
            long to = settings.messages() * joined / settings.connections();
            part.loop().execute(() -> part.begin(originNanos, to - from));
        }
        begun.complete(originNanos);
        var reports = parts().stream().map(LoadPart::report).toList();
        CompletionStage<Void> ended = CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new));
        ended.thenRun(() -> result.complete(
                sum(reports.stream().map(CompletableFuture::join).toList())));
    }

    private List<LoadPart> parts() {
        synchronized (parts) {
            return List.copyOf(parts);
        }
    }

    private LoadResult sum(List<LoadPart.Report> reports) {
        var tally = new Tally();
        double seconds = 0;
        double cpuShare = 0;
        long late = 0;
        long offered = 0;
        for (var report : reports) {
            tally.add(report.tally());
            seconds = Math.max(seconds, report.seconds());
            cpuShare = Math.max(cpuShare, report.cpuShare());
            late += report.late();
            offered += report.offered();
        }
        return new LoadResult(
                tally.messages(),
                seconds,
                tally.bytes(),
                tally.statuses(),
                tally.errors(),
                tally.firstError(),
                Latency.of(tally),
                cpuShare,
                settings.isOpenLoop() ? fellBehind(late, offered) : wasBusy(cpuShare));
    }

    private static String wasBusy(double cpuShare) {
        if (cpuShare < BUSY_SHARE) return "";
        return String.format(
                Locale.ROOT,
                "the load generator was the bottleneck: one of its event loops used %.0f %% of a core; give it more"
                        + " loops and cores, or the server fewer",
                100 * cpuShare);
    }

    private static String fellBehind(long late, long offered) {
        if (late <= LATE_SHARE * offered) return "";
        return String.format(
                Locale.ROOT,
                "the load generator fell behind its schedule: it handled %.0f %% of the messages more than %d ms "
                        + "after they were due; give it more loops and cores, or a lower rate",
                100.0 * late / offered,
                LoadLoop.LATE_NANOS / 1_000_000);
    }

    // What others see and do.

    /// Completed when all connections are open and the first message may start, on one of the loops, which must
    /// not be held up; never when the result is an error before that.
    public CompletionStage<Void> begun() {
        return begun.thenAccept(_ -> {});
    }

    /// The result, or an [IOException] when not all connections could be made. Complete only after each message
    /// came back or patience was over; on one of the loops, which must not be held up.
    public CompletionStage<LoadResult> result() {
        return result;
    }

    /// Completed after the result, when all connections are closed, which the server has a part in; on one of the
    /// loops, which must not be held up. Never when the result is an error.
    public CompletionStage<Void> closed() {
        return result.thenCompose(_ ->
                CompletableFuture.allOf(parts().stream().map(LoadPart::closed).toArray(CompletableFuture[]::new)));
    }

    /// Starts no more messages: the result is what was measured so far.
    public void stop() {
        if (begun.isDone()) for (var part : parts()) part.loop().execute(part::stopSending);
        else result.completeExceptionally(new IOException("stopped before all connections were made"));
    }

    /// Waits for the result, and reports progress to a watch. Must not be called on one of the loops.
    ///
    /// @throws IOException when a connection could not be made
    public LoadResult await(LoadWatch watch) throws IOException, InterruptedException {
        CompletableFuture.anyOf(begun, result).exceptionally(_ -> null).join();
        long shownNanos = clock.nanos();
        long nextNanos = shownNanos + SECOND_NANOS;
        while (true) {
            boolean isDone = isDoneUntil(nextNanos);
            long nowNanos = clock.nanos();
            // The rest of the last second is worth a line unless it is a splinter.
            if (!isDone || (begun.isDone() && nextNanos - nowNanos < SECOND_NANOS / 2)) {
                watch.second(progress(nowNanos - shownNanos));
                shownNanos = nowNanos;
            }
            if (isDone) return valueOf(result);
            nextNanos += SECOND_NANOS;
        }
    }

    private boolean isDoneUntil(long nanos) throws InterruptedException {
        try {
            result.handle((_, _) -> true).get(Math.max(0, nanos - clock.nanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private LoadProgress progress(long passedNanos) throws IOException {
        var tallies = new ArrayList<CompletableFuture<Tally>>();
        for (var part : parts()) {
            var taken = new CompletableFuture<Tally>();
            tallies.add(taken);
            part.loop().execute(() -> taken.complete(part.takeLately()));
        }
        var sum = new Tally();
        for (var tally : tallies) sum.add(valueOf(tally.orTimeout(LOOP_PATIENCE_SECONDS, TimeUnit.SECONDS)));
        long sinceBeginNanos = clock.nanos() - begun.join();
        double passedSeconds = passedNanos / (double) SECOND_NANOS;
        return new LoadProgress(
                sinceBeginNanos / (double) SECOND_NANOS,
                sinceBeginNanos < settings.warmUp().toNanos(),
                sum.messages(),
                sum.messages() / passedSeconds,
                sum.bytes() / passedSeconds / 1e6,
                Latency.of(sum),
                sum.errors());
    }

    private static <T> T valueOf(CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the load's event loops");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }
}
