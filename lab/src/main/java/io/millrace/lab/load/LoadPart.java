package io.millrace.lab.load;

import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// The part of a load that lives on one event loop: its times, its schedule, and what it measures. All of it belongs to
/// the loop's thread, but for what says otherwise.
abstract class LoadPart {
    private static final double NANOS_PER_SECOND = 1e9;

    /// Timers have ticks of a millisecond. Shortly before a message is due the loop turns without waiting.
    private static final long SPIN_NANOS = 2_000_000;

    /// A message that the loop gets to so late was late because of the load generator.
    static final long LATE_NANOS = 2_000_000;

    /// Where a part is; each subclass says what takes it from one to the next.
    enum State {
        WAITING,
        RUNNING,
        DRAINING,
        OVER
    }

    /// What one loop measured.
    ///
    /// @param late    messages the loop got to more than [#LATE_NANOS] after they were due
    /// @param offered messages that were due
    record Report(Tally tally, double seconds, double cpuShare, long late, long offered) {}

    /// Hears how connections begin.
    interface Opening {
        /// A connection is open, and the server has agreed to what it has to agree to.
        void opened();

        /// A connection cannot be opened, so the load cannot begin.
        void failed(int number, String why);
    }

    /// A connection of the load.
    interface Entrant extends Handler {
        /// The connection has been made: asks for what the server has to agree to, and tells [Opening]. Any thread.
        void greet();
    }

    final LoadSettings settings;
    final LoadClock clock;
    final Opening opening;
    private final Loop loop;
    private final CompletableFuture<Report> report = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Runnable tick = this::tick;

    State state = State.WAITING;

    /// Connections that are being made or have not been closed.
    int open;

    private long originNanos;
    private long measureFromNanos;
    long endNanos;
    long lastAnswerNanos;

    /// How many messages may still start in the measured time.
    long quota = Long.MAX_VALUE;

    // The schedule of an open loop.
    private double intervalNanos;
    long firstMeasured;
    long nextIndex;
    long late;

    private long cpuFromNanos;
    private long cpuSinceNanos;
    private double cpuShare;

    final Tally measured = new Tally();
    Tally lately = new Tally();

    LoadPart(LoadSettings settings, LoadClock clock, Loop loop, Opening opening) {
        this.settings = settings;
        this.clock = clock;
        this.loop = loop;
        this.opening = opening;
    }

    /// Another connection, before the load begins.
    ///
    /// @param number among all of the load, from 0
    abstract Entrant join(Connection connection, int number);

    /// The load begins: all connections are open.
    ///
    /// @param scheduleNanos when the first message of an open loop is due, and its warm-up begins
    /// @param messages    how many of those that the settings ask for are this loop's
    abstract void begin(long scheduleNanos, long messages);

    /// Sends what is due; a schedule goes on while it [#hasMore].
    abstract void offer(long nowNanos);

    abstract boolean hasMore();

    /// Starts no more messages.
    abstract void stopSending();

    /// Nothing more is waited for.
    abstract void giveUp();

    /// Closes all connections: the load cannot begin, or has ended.
    abstract void over();

    /// How many connections have joined; any thread may ask when all have.
    abstract int size();

    // Times.

    /// A closed loop's times begin here and now: what held this loop up since all connections were open, somebody who
    /// was told so perhaps, must not use them up.
    final void startTimes(long scheduleNanos, long messages) {
        state = State.RUNNING;
        originNanos = settings.isOpenLoop() ? scheduleNanos : clock.nanos();
        lastAnswerNanos = originNanos;
        measureFromNanos = originNanos + settings.warmUp().toNanos();
        endNanos = measureFromNanos + settings.duration().toNanos();
        if (settings.messages() > 0) quota = messages;
    }

    /// Of this loop, in an open loop.
    final void planSchedule(double messagesPerSecond) {
        intervalNanos = NANOS_PER_SECOND / messagesPerSecond;
        firstMeasured = (long) Math.ceil(settings.warmUp().toNanos() / intervalNanos);
        measureFromNanos = dueNanos(firstMeasured);
    }

    /// How many messages the schedule has in the measured time.
    final long planned() {
        return Math.round(settings.duration().toNanos() / intervalNanos);
    }

    final void measureFromThen() {
        at(measureFromNanos, this::startMeasuring);
    }

    final void at(long nanos, Runnable task) {
        long delayNanos = nanos - clock.nanos();
        if (delayNanos > 0) loop.after(Duration.ofNanos(delayNanos), task);
        else task.run();
    }

    private void startMeasuring() {
        cpuFromNanos = clock.cpuNanos();
        cpuSinceNanos = clock.nanos();
        if (quota == 0) stopSending();
    }

    /// Nothing ends a load that counts when nothing comes back.
    final void lookForProgress() {
        if (state != State.RUNNING) return;
        long leftNanos = lastAnswerNanos + settings.patience().toNanos() - clock.nanos();
        if (leftNanos > 0) {
            loop.after(Duration.ofNanos(leftNanos), this::lookForProgress);
            return;
        }
        stopSending();
        giveUp();
    }

    final void tick() {
        if (state != State.RUNNING) return;
        offer(clock.nanos());
        if (state != State.RUNNING || !hasMore()) return;
        long aheadNanos = dueNanos(nextIndex) - clock.nanos();
        if (!clock.passesWhileSpinning()) loop.after(Duration.ofNanos(Math.max(0, aheadNanos)), tick);
        else if (aheadNanos > SPIN_NANOS) loop.after(Duration.ofNanos(aheadNanos - SPIN_NANOS), tick);
        else loop.execute(tick);
    }

    final long dueNanos(long number) {
        return originNanos + (long) (number * intervalNanos);
    }

    final boolean isMeasured(long startNanos) {
        return startNanos - measureFromNanos >= 0;
    }

    /// Whether it is a closed loop that ends when time is up.
    final boolean isTimed() {
        return settings.messages() == 0 && !settings.isOpenLoop();
    }

    // Connections.

    /// A connection may begin.
    void opened() {
        opening.opened();
    }

    final void isClosed() {
        open--;
        tellIfClosed();
    }

    private void tellIfClosed() {
        if (open == 0 && state == State.OVER) closed.complete(null);
    }

    // The end.

    final void drain(long nowNanos) {
        state = State.DRAINING;
        if (nowNanos - endNanos < 0) endNanos = nowNanos;
        long cpuTimeNanos = nowNanos - cpuSinceNanos;
        if (isMeasured(nowNanos) && cpuTimeNanos > 0)
            cpuShare = (clock.cpuNanos() - cpuFromNanos) / (double) cpuTimeNanos;
    }

    /// What a closed loop started in a while is what came back in a while, though not the same messages;
    /// elsewhere it takes until the last one is back.
    final void tell(long offered) {
        long nanos = (isTimed() ? endNanos : lastAnswerNanos) - measureFromNanos;
        report.complete(new Report(measured, Math.max(0, nanos) / NANOS_PER_SECOND, cpuShare, late, offered));
        tellIfClosed();
    }

    /// What happened since this was called last.
    final Tally takeLately() {
        var taken = lately;
        lately = new Tally();
        taken.failedAs(measured);
        return taken;
    }

    /// Any thread may ask.
    final Loop loop() {
        return loop;
    }

    /// Completed when the load is over.
    final CompletableFuture<Report> report() {
        return report;
    }

    /// Completed when the last connection is closed, after the report.
    final CompletableFuture<Void> closed() {
        return closed;
    }
}
