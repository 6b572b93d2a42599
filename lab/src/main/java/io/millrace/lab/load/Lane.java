package io.millrace.lab.load;

import io.millrace.net.Connection;
import org.jspecify.annotations.Nullable;

/// One place of a load: messages one behind the other, when each started and what became of it. They go over one
/// connection, or over one after the other where connections end in order. The loop's.
///
/// ```
///   answered ≤ sent ≤ started          how many; at most the depth lies between the ends
///              │      └─ by the schedule, or when another one was answered
///              └─ on the connection there is; those that it leaves unanswered are sent again on the next
/// ```
/// Answers may come in another order than messages; when a connection ends in order, those that it leaves unanswered
/// are the last ones.
/// When a connection fails, or says something wrong, its lane is over.
final class Lane {
    private final LoadLoop load;

    /// Among all lanes of the load, from 0; part of its messages.
    private final int number;

    /// Among those of its loop.
    private final int index;

    /// In a closed loop, when messages under way were started; null in an open one, whose schedule knows.
    private final @Nullable InFlight startNanos;

    private long started;
    private long answered;

    /// How many messages are to be answered, once that is known.
    private long aim = Long.MAX_VALUE;

    /// Null between two.
    private @Nullable LoadConnection connection;

    private boolean isOver;

    Lane(LoadLoop load, int number, int index) {
        this.load = load;
        this.number = number;
        this.index = index;
        this.startNanos = load.settings.isOpenLoop() ? null : new InFlight(load.settings.depth());
    }

    /// The next messages go over this connection.
    LoadConnection open(Connection opened) {
        var next = new LoadConnection(load, this, opened, load.protocol.begin(number), answered);
        if (isOver) next.close();
        else connection = next;
        return next;
    }

    // Messages.

    /// Sends everything that may start by now, as far as there is room.
    void pump(long nowNanos) {
        if (connection != null) connection.pump(nowNanos);
    }

    /// Whether a message, one behind those that were sent, has started or starts now.
    boolean hasStarted(long sequence, long nowNanos) {
        return sequence < started || start(nowNanos);
    }

    private boolean start(long nowNanos) {
        if (started - answered == load.settings.depth() || !load.mayStart(index, started, nowNanos)) return false;
        if (startNanos != null) startNanos.begin(started, nowNanos);
        started++;
        load.started(nowNanos);
        return true;
    }

    /// A message was answered, with [LoadLoop#answer].
    void answered(long sequence, long nowNanos) {
        answered++;
        long startedNanos = load.dueNanos(index, sequence);
        if (startNanos != null) {
            startedNanos = startNanos.get(sequence, started);
            startNanos.end(sequence);
        }
        load.answered(this, startedNanos, nowNanos);
    }

    /// The connection has ended in order. In a closed loop the next message starts now: to connect is
    /// part of how long it takes.
    void replace(long nowNanos) {
        boolean wasEnding = isEnding();
        connection = null;
        if (isOver) return;
        boolean isWanted = answered < started || start(nowNanos) || (load.settings.isOpenLoop() && left() > 0);
        if (isWanted) load.connect(this);
        else if (wasEnding) load.ended();
    }

    // The end.

    /// From now on it is known how many messages are to be answered.
    void aimAt(long messages) {
        aim = messages;
    }

    /// How many messages are still to be answered.
    long left() {
        return isOver ? 0 : aim - answered;
    }

    /// Whether answers are missing, or the end of a connection.
    boolean isBusy() {
        return left() > 0 || isEnding();
    }

    /// Whether nothing is missing but the end of its connection.
    boolean isEnding() {
        return !isOver && connection != null && connection.isEnding();
    }

    void failed(String why) {
        if (isOver) return;
        long left = left();
        isOver = true;
        connection = null;
        load.failed(left, why);
    }

    /// The load is over, and nothing that happens here matters any more.
    void close() {
        isOver = true;
        if (connection != null) connection.close();
    }

    // What the connection asks.

    int number() {
        return number;
    }

    long started() {
        return started;
    }

    long answered() {
        return answered;
    }
}
