package io.millrace.lab.load;

import io.millrace.Tcp;
import io.millrace.lab.load.Conversation.Protocol;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The part of a load that lives on one event loop: its lanes, when they send, and what they measure. All of it
/// belongs to the loop's thread.
///
/// ```
///  WAITING ──begin──► RUNNING ──time is up, or enough were started──► DRAINING ──all are back──► OVER
///                        │                                               ├── patience is over ────►
///                        └────────────── every lane failed ──────────────┴───────────────────────►
/// ```
/// In an open loop the messages of all its lanes, in turn, are numbered through, and number *n* is due *n*
/// intervals after the beginning. A message without room starts when there is some, and is measured from when
/// it was due: so a stalling server cannot hide its delay by making the load wait (*coordinated omission*).
final class LoadLoop {
    private static final int LANES_PER_TURN = 64;
    private static final double NANOS_PER_SECOND = 1e9;

    /// Timers have ticks of a millisecond. Shortly before a message is due the loop turns without waiting.
    private static final long SPIN_NANOS = 2_000_000;

    /// A message that the loop gets to so late was late because of the load generator.
    static final long LATE_NANOS = 2_000_000;

    private enum State {
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

    final LoadSettings settings;
    final LoadClock clock;
    final Protocol protocol;

    /// Filled in by conversations.
    final MeasuredAnswer answer = new MeasuredAnswer();

    private final Loop loop;
    private final List<Lane> lanes = new ArrayList<>();
    private final CompletableFuture<Report> report = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Runnable tick = this::tick;

    private State state = State.WAITING;
    private int alive;

    /// Connections that are being made or have not been closed.
    private int open;

    /// Lanes that wait for messages, while draining.
    private int busy;

    private long originNanos;
    private long measureFromNanos;
    private long endNanos;
    private long lastAnswerNanos;

    /// In a closed loop, how many messages may still start in the measured time.
    private long quota;

    // The schedule of an open loop.
    private double intervalNanos;
    private long firstMeasured;
    private long endIndex;
    private long nextIndex;
    private long late;

    private long cpuFromNanos;
    private long cpuSinceNanos;
    private double cpuShare;

    private final Tally measured = new Tally();
    private Tally lately = new Tally();

    LoadLoop(LoadSettings settings, LoadClock clock, Protocol protocol, Loop loop) {
        this.settings = settings;
        this.clock = clock;
        this.protocol = protocol;
        this.loop = loop;
    }

    // Beginning; before that, lanes join.

    /// A lane that begins with this connection.
    Handler join(Connection connection, int number) {
        var joined = new Lane(this, number, lanes.size());
        lanes.add(joined);
        alive++;
        open++;
        return joined.open(connection);
    }

    /// A closed loop's times begin here and now: what held this loop up since all connections were open, somebody who
    /// was told so perhaps, must not use them up.
    ///
    /// @param scheduleNanos when the first message of an open loop is due, and its warm-up begins
    /// @param messages    how many of those that the settings ask for are this loop's
    void begin(long scheduleNanos, long messages) {
        state = State.RUNNING;
        originNanos = settings.isOpenLoop() ? scheduleNanos : clock.nanos();
        lastAnswerNanos = originNanos;
        measureFromNanos = originNanos + settings.warmUp().toNanos();
        endNanos = measureFromNanos + settings.duration().toNanos();
        quota = settings.messages() > 0 ? messages : Long.MAX_VALUE;
        if (settings.isOpenLoop()) planSchedule(messages);
        at(measureFromNanos, this::startMeasuring);
        if (alive == 0) {
            stopSending();
            return;
        }
        if (settings.isOpenLoop() || settings.messages() == 0) at(endNanos, this::stopSending);
        else lookForProgress();
        if (settings.isOpenLoop()) tick();
        else pumpFrom(0);
    }

    /// A few at a time, so that what they write leaves before the next ones write: a message of each may be more
    /// than the loop's memory.
    private void pumpFrom(int first) {
        int end = Math.min(first + LANES_PER_TURN, lanes.size());
        long nowNanos = clock.nanos();
        for (int i = first; i < end; i++) lanes.get(i).pump(nowNanos);
        if (end < lanes.size()) loop.execute(() -> pumpFrom(end));
    }

    private void planSchedule(long messages) {
        double share = lanes.size() / (double) settings.connections();
        intervalNanos = NANOS_PER_SECOND / (settings.messagesPerSecond() * share);
        firstMeasured = (long) Math.ceil(settings.warmUp().toNanos() / intervalNanos);
        long planned = settings.messages() > 0
                ? messages
                : Math.round(settings.duration().toNanos() / intervalNanos);
        endIndex = firstMeasured + planned;
        measureFromNanos = dueNanos(firstMeasured);
        endNanos = dueNanos(endIndex);
    }

    private void at(long nanos, Runnable task) {
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
    private void lookForProgress() {
        if (state != State.RUNNING) return;
        long leftNanos = lastAnswerNanos + settings.patience().toNanos() - clock.nanos();
        if (leftNanos > 0) {
            loop.after(Duration.ofNanos(leftNanos), this::lookForProgress);
            return;
        }
        stopSending();
        giveUp();
    }

    // Sending.

    private void tick() {
        if (state != State.RUNNING) return;
        offer(clock.nanos());
        if (state != State.RUNNING || nextIndex >= endIndex) return;
        long aheadNanos = dueNanos(nextIndex) - clock.nanos();
        if (!clock.passesWhileSpinning()) loop.after(Duration.ofNanos(Math.max(0, aheadNanos)), tick);
        else if (aheadNanos > SPIN_NANOS) loop.after(Duration.ofNanos(aheadNanos - SPIN_NANOS), tick);
        else loop.execute(tick);
    }

    private void offer(long nowNanos) {
        int count = lanes.size();
        while (nextIndex < endIndex) {
            long overdueNanos = nowNanos - dueNanos(nextIndex);
            if (overdueNanos < 0) return;
            if (overdueNanos > LATE_NANOS && nextIndex >= firstMeasured) late++;
            lanes.get((int) (nextIndex++ % count)).pump(nowNanos);
        }
    }

    private long dueNanos(long number) {
        return originNanos + (long) (number * intervalNanos);
    }

    /// When the schedule starts a message of a lane.
    long dueNanos(int lane, long sequence) {
        return dueNanos(sequence * lanes.size() + lane);
    }

    boolean mayStart(int lane, long sequence, long nowNanos) {
        if (settings.isOpenLoop()) {
            long number = sequence * lanes.size() + lane;
            return number < endIndex && dueNanos(number) - nowNanos <= 0;
        }
        if (state != State.RUNNING) return false;
        return !isMeasured(nowNanos) || (quota > 0 && (settings.messages() > 0 || nowNanos - endNanos < 0));
    }

    void started(long nowNanos) {
        if (settings.messages() == 0 || settings.isOpenLoop() || !isMeasured(nowNanos)) return;
        if (--quota == 0) stopSending();
    }

    private boolean isMeasured(long startNanos) {
        return startNanos - measureFromNanos >= 0;
    }

    // What comes of it.

    /// What was answered is in [#answer].
    void answered(Lane lane, long startNanos, long nowNanos) {
        lastAnswerNanos = nowNanos;
        lately.answered(nowNanos - startNanos, answer);
        if (isMeasured(startNanos)) measured.answered(nowNanos - startNanos, answer);
        if (state == State.DRAINING && !lane.isBusy()) finished();
    }

    /// @param left what the lane was waiting for
    void failed(long left, String why) {
        measured.failed(1, why);
        alive--;
        if (state == State.DRAINING && left > 0) finished();
        else if (state == State.RUNNING && alive == 0) stopSending();
    }

    /// A connection ended behind its last answer, and its lane needs no other.
    void ended() {
        if (state == State.DRAINING) finished();
    }

    private void finished() {
        if (--busy == 0) over();
    }

    /// Another connection for a lane.
    void connect(Lane lane) {
        open++;
        var to = settings.connect().loop(loop);
        Tcp.connect(to, lane::open).whenComplete((_, failure) -> {
            if (failure == null) lane.pump(clock.nanos());
            else cannotConnect(lane, failure);
        });
    }

    private void cannotConnect(Lane lane, Throwable failure) {
        lane.failed("connection " + lane.number() + " cannot be made again: " + failure.getMessage());
        isClosed();
    }

    void isClosed() {
        open--;
        tellIfClosed();
    }

    private void tellIfClosed() {
        if (open == 0 && state == State.OVER) closed.complete(null);
    }

    /// What happened since this was called last.
    Tally takeLately() {
        var taken = lately;
        lately = new Tally();
        taken.failedAs(measured);
        return taken;
    }

    // Ending.

    /// No message starts any more, but for those of an open loop that are due.
    void stopSending() {
        if (state != State.RUNNING) return;
        long nowNanos = clock.nanos();
        if (settings.isOpenLoop()) offer(nowNanos);
        state = State.DRAINING;
        endIndex = Math.min(endIndex, nextIndex);
        if (nowNanos - endNanos < 0) endNanos = nowNanos;
        long cpuTimeNanos = nowNanos - cpuSinceNanos;
        if (isMeasured(nowNanos) && cpuTimeNanos > 0) {
            cpuShare = (clock.cpuNanos() - cpuFromNanos) / (double) cpuTimeNanos;
        }
        for (int i = 0; i < lanes.size(); i++) aim(i);
        if (busy == 0) over();
        else loop.after(settings.patience(), this::giveUp);
    }

    private void aim(int index) {
        var lane = lanes.get(index);
        int count = lanes.size();
        // Of the numbers below the end, those that leave this remainder.
        lane.aimAt(settings.isOpenLoop() ? (endIndex - index + count - 1) / count : lane.started());
        if (lane.isBusy()) busy++;
    }

    private void giveUp() {
        if (state != State.DRAINING) return;
        long missing = 0;
        long unended = 0;
        for (var lane : lanes) {
            missing += lane.left();
            if (lane.left() == 0 && lane.isEnding()) unended++;
        }
        var within = " within " + settings.patience().toMillis() / 1e3 + " s";
        if (missing > 0) measured.failed(missing, missing + " messages were not answered" + within);
        var those = unended == 1 ? "1 connection was" : unended + " connections were";
        if (unended > 0) measured.failed(unended, those + " not closed by the server" + within);
        over();
    }

    private void over() {
        state = State.OVER;
        for (var lane : lanes) lane.close();
        report.complete(new Report(measured, seconds(), cpuShare, late, Math.max(0, endIndex - firstMeasured)));
        tellIfClosed();
    }

    /// What a closed loop started in a while is what came back in a while, though not the same messages;
    /// elsewhere it takes until the last one is back.
    private double seconds() {
        boolean isTimed = settings.messages() == 0 && !settings.isOpenLoop();
        long nanos = (isTimed ? endNanos : lastAnswerNanos) - measureFromNanos;
        return Math.max(0, nanos) / NANOS_PER_SECOND;
    }

    // What the load asks.

    int size() {
        return lanes.size();
    }

    Loop loop() {
        return loop;
    }

    CompletableFuture<Report> report() {
        return report;
    }

    /// Completed when the last connection is closed, after the report.
    CompletableFuture<Void> closed() {
        return closed;
    }
}
