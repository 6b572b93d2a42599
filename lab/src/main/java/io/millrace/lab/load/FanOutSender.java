package io.millrace.lab.load;

import java.util.ArrayDeque;

/// A connection that sends messages to all, and which of them have not arrived everywhere. The loop's.
///
/// ```
///   everywhere ≤ sent      at most the depth lies between them
/// ```
final class FanOutSender {
    private final FanOutLoop load;
    private final FanOutReceiver connection;
    private final int number;

    /// At how many receivers each message under way has arrived, by its number in a ring.
    private final int[] arrivals;

    /// Messages below this number have arrived everywhere, or were given up.
    private long everywhere;

    private long sent;

    /// In an open loop, when messages were due that had no room.
    private final ArrayDeque<Long> waiting = new ArrayDeque<>();

    FanOutSender(FanOutLoop load, FanOutReceiver connection, int number) {
        this.load = load;
        this.connection = connection;
        this.number = number;
        this.arrivals = new int[load.settings.depth()];
    }

    /// Sends what a closed loop may.
    void pump(long nowNanos) {
        while (hasRoom() && load.mayStart(nowNanos)) {
            load.started(nowNanos);
            send(nowNanos);
        }
    }

    private boolean hasRoom() {
        return sent - everywhere < arrivals.length;
    }

    /// A message of an open loop is due.
    void due(long dueNanos) {
        waiting.add(dueNanos);
        sendWaiting();
    }

    private void sendWaiting() {
        while (!waiting.isEmpty() && hasRoom()) send(waiting.remove());
    }

    private void send(long startNanos) {
        arrivals[(int) (sent % arrivals.length)] = 0;
        connection.send(new FanOutMark(startNanos, number, sent));
        sent++;
    }

    /// A message has arrived at one more receiver, or that has missed it.
    void arrived(long which, int expected, long nowNanos) {
        if (which < everywhere || which >= sent) return;
        arrivals[(int) (which % arrivals.length)]++;
        while (everywhere < sent && arrivals[(int) (everywhere % arrivals.length)] >= expected) {
            everywhere++;
            load.arrivedEverywhere();
        }
        if (load.settings.isOpenLoop()) sendWaiting();
        else pump(nowNanos);
    }

    /// How often a message has not arrived.
    long missing(int expected) {
        long missing = (long) waiting.size() * expected;
        for (long which = everywhere; which < sent; which++)
            missing += expected - arrivals[(int) (which % arrivals.length)];
        return missing;
    }
}
