package io.millrace.lab.load;

import io.millrace.net.Connection;
import io.millrace.net.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A load of messages to all: some of the connections send, and each message is counted at each connection where it
/// arrives. All of it belongs to the thread of one loop.
///
/// ```
///  WAITING ──begin──► RUNNING ──time is up, enough were started, or a receiver is lost──► DRAINING ──► OVER
/// ```
/// A server may agree to a WebSocket before it counts it among all. So the load begins when a message without meaning,
/// which is sent until then, has arrived at each connection.
///
/// A sender may have some messages under way, which have not arrived everywhere; in a closed loop the next one starts
/// when the oldest has. In an open loop they start by the schedule, and are measured from when they were due. What a
/// receiver misses is an error each time, and so is the end of a connection: nothing could arrive at all of them then.
final class FanOutLoop extends LoadPart {
    /// Of a socket that reads hardly anything.
    static final int SLOW_BUFFER_BYTES = 4096;

    private static final Duration BETWEEN_PROBES = Duration.ofMillis(100);

    final FanOutMessages messages;
    final FanOutText text;

    private final List<FanOutReceiver> receivers = new ArrayList<>();
    private final List<FanOutSender> senders = new ArrayList<>();
    private final MeasuredAnswer answer = new MeasuredAnswer();

    private int opened;

    /// Receivers that are waited for, and those that have had a probe.
    private int expected;

    private int there;

    /// Messages that were due in the measured time.
    private long offered;

    /// Messages that have started and not arrived everywhere.
    private int underWay;

    FanOutLoop(LoadSettings settings, FanOutMessages messages, LoadClock clock, Loop loop, Opening opening) {
        super(settings, clock, loop, opening);
        this.messages = messages;
        this.text = new FanOutText(messages);
    }

    // Beginning.

    @Override
    Entrant join(Connection connection, int number) {
        var receiver = new FanOutReceiver(this, connection, number);
        receivers.add(receiver);
        open++;
        return receiver;
    }

    /// The server has agreed to one more WebSocket. The last one counts when all are known to be there.
    @Override
    void opened() {
        if (++opened < settings.connections()) {
            opening.opened();
            return;
        }
        for (var receiver : receivers) if (!receiver.isSlow()) expected++;
        probe(clock.nanos() + settings.patience().toNanos());
    }

    private void probe(long untilNanos) {
        if (state != State.WAITING || there == expected) return;
        var asker = receivers.stream().filter(it -> !it.isSlow()).findFirst().orElseThrow();
        if (clock.nanos() - untilNanos > 0) {
            opening.failed(
                    asker.number(),
                    "its messages do not arrive everywhere within "
                            + settings.patience().toSeconds() + " s");
            return;
        }
        asker.send(new FanOutMark(clock.nanos(), FanOutMark.PROBE, 0));
        loop().after(BETWEEN_PROBES, () -> probe(untilNanos));
    }

    /// A probe has arrived at one more connection.
    void isThere() {
        if (++there == expected) opening.opened();
    }

    /// A connection has ended.
    void ended(FanOutReceiver which, String why) {
        if (state == State.WAITING) opening.failed(which.number(), why);
        else lost(why);
    }

    @Override
    void begin(long scheduleNanos, long count) {
        startTimes(scheduleNanos, count);
        if (settings.isOpenLoop()) planSchedule(settings.messagesPerSecond());
        for (var receiver : receivers) if (!receiver.isSlow()) enlist(receiver);
        measureFromThen();
        if (settings.messages() == 0) at(endNanos, this::stopSending);
        else lookForProgress();
        if (settings.isOpenLoop()) tick();
        else for (var sender : senders) sender.pump(clock.nanos());
    }

    private void enlist(FanOutReceiver receiver) {
        if (receiver.isOver()) lost("a connection was closed before the load began");
        else if (senders.size() < messages.senders()) senders.add(new FanOutSender(this, receiver, senders.size()));
    }

    // Sending.

    @Override
    boolean hasMore() {
        return true;
    }

    @Override
    void offer(long nowNanos) {
        while (mayStart(dueNanos(nextIndex)) && dueNanos(nextIndex) - nowNanos <= 0) {
            long dueNanos = dueNanos(nextIndex);
            if (isMeasured(dueNanos)) {
                offered++;
                if (nowNanos - dueNanos > LATE_NANOS) late++;
            }
            started(dueNanos);
            senders.get((int) (nextIndex++ % senders.size())).due(dueNanos);
        }
    }

    /// Whether another message may start at this moment.
    boolean mayStart(long nanos) {
        return state == State.RUNNING && (settings.messages() > 0 || nanos - endNanos < 0);
    }

    /// A message starts, which is sent as soon as there is room.
    void started(long startNanos) {
        underWay++;
        if (isMeasured(startNanos) && --quota == 0) stopSending();
    }

    // What arrives.

    /// A message has arrived at one more receiver.
    ///
    /// @param missed of the same sender's that the receiver should have had before
    void arrived(int sender, long number, long startNanos, long bytes, long missed) {
        long nowNanos = clock.nanos();
        lastAnswerNanos = nowNanos;
        answer.is(number, bytes, 0, false, "");
        lately.answered(nowNanos - startNanos, answer);
        if (counts(startNanos, nowNanos)) measured.answered(nowNanos - startNanos, answer);
        if (missed > 0)
            measured.failed(
                    missed,
                    missed + " messages of sender " + sender + " before " + number + " did not arrive at a connection");
        var from = senders.get(sender);
        for (long each = number - missed; each <= number; each++) from.arrived(each, expected, nowNanos);
    }

    /// In the time of a closed loop what arrives counts: there may be few messages in it, each to many connections.
    private boolean counts(long startNanos, long nowNanos) {
        return isTimed() ? isMeasured(nowNanos) && nowNanos - endNanos < 0 : isMeasured(startNanos);
    }

    int senderCount() {
        return senders.size();
    }

    /// A message has arrived everywhere.
    void arrivedEverywhere() {
        underWay--;
        if (state == State.DRAINING && underWay == 0) over();
    }

    private void lost(String why) {
        if (state == State.DRAINING || state == State.OVER) return;
        measured.failed(1, why);
        quota = 0;
        stopSending();
        giveUp();
    }

    // Ending.

    @Override
    void stopSending() {
        if (state != State.RUNNING) return;
        long nowNanos = clock.nanos();
        if (settings.isOpenLoop() && quota > 0) offer(nowNanos);
        drain(nowNanos);
        if (underWay == 0) over();
        else loop().after(settings.patience(), this::giveUp);
    }

    @Override
    void giveUp() {
        if (state != State.DRAINING) return;
        long missing = 0;
        for (var sender : senders) missing += sender.missing(expected);
        var within = " within " + settings.patience().toMillis() / 1e3 + " s";
        if (missing > 0) measured.failed(missing, missing + " messages did not arrive" + within);
        over();
    }

    @Override
    void over() {
        if (state == State.OVER) return;
        state = State.OVER;
        for (var receiver : receivers) receiver.close();
        tell(offered);
    }

    @Override
    int size() {
        return receivers.size();
    }
}
