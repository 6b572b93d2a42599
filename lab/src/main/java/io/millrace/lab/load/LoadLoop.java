package io.millrace.lab.load;

import io.millrace.Tcp;
import io.millrace.lab.load.Conversation.Protocol;
import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.util.ArrayList;
import java.util.List;

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
final class LoadLoop extends LoadPart {
    private static final int LANES_PER_TURN = 64;

    final Protocol protocol;

    /// Filled in by conversations.
    final MeasuredAnswer answer = new MeasuredAnswer();

    private final List<Lane> lanes = new ArrayList<>();
    private int alive;

    /// Lanes that wait for messages, while draining.
    private int busy;

    /// The number of the first message that the schedule does not have.
    private long endIndex;

    LoadLoop(LoadSettings settings, LoadClock clock, Protocol protocol, Loop loop, Opening opening) {
        super(settings, clock, loop, opening);
        this.protocol = protocol;
    }

    // Beginning; before that, lanes join.

    /// A lane that begins with this connection.
    @Override
    LoadConnection join(Connection connection, int number) {
        var joined = new Lane(this, number, lanes.size());
        lanes.add(joined);
        alive++;
        open++;
        return joined.open(connection);
    }

    /// A connection cannot begin.
    void notOpened(int number, String why) {
        opening.failed(number, why);
    }

    @Override
    void begin(long scheduleNanos, long messages) {
        startTimes(scheduleNanos, messages);
        if (settings.isOpenLoop()) planSchedule(messages);
        measureFromThen();
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
        if (end < lanes.size()) loop().execute(() -> pumpFrom(end));
    }

    private void planSchedule(long messages) {
        planSchedule(settings.messagesPerSecond() * lanes.size() / settings.connections());
        endIndex = firstMeasured + (settings.messages() > 0 ? messages : planned());
        endNanos = dueNanos(endIndex);
    }

    // Sending.

    @Override
    boolean hasMore() {
        return nextIndex < endIndex;
    }

    @Override
    void offer(long nowNanos) {
        int count = lanes.size();
        while (nextIndex < endIndex) {
            long overdueNanos = nowNanos - dueNanos(nextIndex);
            if (overdueNanos < 0) return;
            if (overdueNanos > LATE_NANOS && nextIndex >= firstMeasured) late++;
            lanes.get((int) (nextIndex++ % count)).pump(nowNanos);
        }
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
        var to = settings.connect().loop(loop());
        Tcp.connect(to, lane::open).whenComplete((_, failure) -> {
            if (failure == null) lane.pump(clock.nanos());
            else cannotConnect(lane, failure);
        });
    }

    private void cannotConnect(Lane lane, Throwable failure) {
        lane.failed("connection " + lane.number() + " cannot be made again: " + failure.getMessage());
        isClosed();
    }

    // Ending.

    /// No message starts any more, but for those of an open loop that are due.
    @Override
    void stopSending() {
        if (state != State.RUNNING) return;
        long nowNanos = clock.nanos();
        if (settings.isOpenLoop()) offer(nowNanos);
        endIndex = Math.min(endIndex, nextIndex);
        drain(nowNanos);
        for (int i = 0; i < lanes.size(); i++) aim(i);
        if (busy == 0) over();
        else loop().after(settings.patience(), this::giveUp);
    }

    private void aim(int index) {
        var lane = lanes.get(index);
        int count = lanes.size();
        // Of the numbers below the end, those that leave this remainder.
        lane.aimAt(settings.isOpenLoop() ? (endIndex - index + count - 1) / count : lane.started());
        if (lane.isBusy()) busy++;
    }

    @Override
    void giveUp() {
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

    @Override
    void over() {
        state = State.OVER;
        for (var lane : lanes) lane.close();
        tell(Math.max(0, endIndex - firstMeasured));
    }

    @Override
    int size() {
        return lanes.size();
    }
}
