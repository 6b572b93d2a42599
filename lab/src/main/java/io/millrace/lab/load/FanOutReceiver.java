package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// One connection of a load of messages to all: reads who sent what when, and keeps nothing of it. The loop's.
///
/// One that is slow takes what has arrived once in a second, and lets the server do with it what it does with such
/// peers.
final class FanOutReceiver implements LoadPart.Entrant, WsFrames.Arrival {
    private static final Duration SLOW_PAUSE = Duration.ofSeconds(1);
    private static final long BURST_BYTES = 128 << 10;
    private static final byte[] NOTHING = {};

    private final FanOutLoop load;
    private final Connection connection;
    private final int number;
    private final WsCarrier carrier;
    private final WsFrames frames;
    private final boolean isSlow;
    private final int mask = ThreadLocalRandom.current().nextInt() | 1;

    private boolean isGreeting;
    private boolean isOver;

    // What is sent: frames, and how much of the first one was written.

    private final ArrayDeque<byte[]> outbox = new ArrayDeque<>();
    private int writtenBytes;
    private long unsentBytes;
    private boolean isWaitingForRoom;

    // What arrives.

    /// Of each sender, the number of the next message.
    private long[] next = {};

    private boolean isThere;
    private boolean isPacked;
    private int arrivedBytes;
    private final byte[] mark = new byte[FanOutMark.BYTES];

    /// Of a compressed message.
    private byte[] packed = NOTHING;

    FanOutReceiver(FanOutLoop load, Connection connection, int number) {
        this.load = load;
        this.connection = connection;
        this.number = number;
        var name = "connection " + number;
        this.carrier = WsCarrier.of(load.messages.handshake(), name);
        this.frames = new WsFrames(this, name, load.messages.handshake().isPacked());
        this.isSlow = load.messages.isSlow(number);
    }

    boolean isSlow() {
        return isSlow;
    }

    int number() {
        return number;
    }

    boolean isOver() {
        return isOver;
    }

    // Beginning.

    @Override
    public void greet() {
        load.loop().execute(this::ask);
    }

    private void ask() {
        if (isOver) return;
        isGreeting = true;
        carrier.reply(connection.output());
        var patience = load.settings.patience();
        load.loop().after(patience, () -> {
            if (isGreeting && !isOver) fail("the server did not agree within " + patience.toSeconds() + " s");
        });
    }

    // Sending.

    void send(FanOutMark what) {
        outbox.add(load.text.frame(what, mask));
        pump();
    }

    /// What is not sent yet stays below the watermark, above which a connection does not read.
    private void pump() {
        while (!isOver && !isWaitingForRoom && !outbox.isEmpty()) {
            var frame = outbox.getFirst();
            int room = carrier.room(frame.length - writtenBytes);
            if (room == 0) return;
            carrier.before(connection.output(), room);
            connection.output().write(frame, writtenBytes, room);
            writtenBytes += room;
            unsentBytes += room;
            if (writtenBytes == frame.length) {
                outbox.removeFirst();
                writtenBytes = 0;
            }
            if (unsentBytes >= BURST_BYTES) waitForRoom();
        }
    }

    private void waitForRoom() {
        isWaitingForRoom = true;
        connection.whenSent(() -> {
            isWaitingForRoom = false;
            unsentBytes = 0;
            pump();
        });
    }

    // Receiving.

    @Override
    public void onInput(Input in) {
        try {
            boolean isMoving = true;
            while (isMoving && !isOver && !in.isEmpty()) isMoving = carrier.read(in, frames);
            if (isOver) in.skip(in.remaining());
            else reply();
        } catch (BadAnswer e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    private void reply() {
        carrier.reply(connection.output());
        if (isGreeting && carrier.isOpen()) {
            isGreeting = false;
            load.opened();
        }
        if (writtenBytes == 0 && carrier.isOpen()) frames.reply(connection.output(), carrier);
        pump();
        if (isSlow && !isGreeting) rest();
    }

    private void rest() {
        connection.pause();
        load.loop().after(SLOW_PAUSE, () -> {
            if (!isOver) connection.resume();
        });
    }

    @Override
    public void begins(boolean packs) {
        isPacked = packs;
        arrivedBytes = 0;
    }

    @Override
    public void part(Input in, int length) throws BadAnswer {
        if (isSlow) in.skip(length);
        else if (isPacked) keep(in, length);
        else read(in, length);
        arrivedBytes += length;
    }

    private void keep(Input in, int length) throws BadAnswer {
        int end = arrivedBytes + length;
        if (end > load.text.mostPackedBytes()) throw new BadAnswer(named() + " is longer than it was");
        if (end > packed.length) packed = Arrays.copyOf(packed, end);
        in.read(packed, arrivedBytes, length);
    }

    private void read(Input in, int length) throws BadAnswer {
        if (length > load.text.sizeBytes() - arrivedBytes) throw new BadAnswer(named() + " is longer than it was");
        int ofMark = Math.clamp(mark.length - arrivedBytes, 0, length);
        if (ofMark > 0) in.read(mark, arrivedBytes, ofMark);
        if (ofMark < length) load.text.check(in, arrivedBytes + ofMark, length - ofMark);
    }

    @Override
    public void ends() throws BadAnswer {
        if (isSlow) return;
        if (!isPacked && arrivedBytes < load.text.sizeBytes()) throw new BadAnswer(named() + " is cut");
        arrived(isPacked ? load.text.unpacked(packed, arrivedBytes) : mark);
    }

    private void arrived(byte[] from) throws BadAnswer {
        int sender = FanOutMark.sender(from);
        if (sender == FanOutMark.PROBE) {
            frames.takeWireBytes();
            if (!isThere) load.isThere();
            isThere = true;
            return;
        }
        if (sender >= load.senderCount()) throw new BadAnswer(named() + " is of sender " + sender + ", which is none");
        if (next.length == 0) next = new long[load.messages.senders()];
        long which = FanOutMark.number(from);
        long missed = which - next[sender];
        if (missed < 0)
            throw new BadAnswer(
                    "message " + which + " of sender " + sender + " came twice, or late, on connection " + number);
        next[sender] = which + 1;
        load.arrived(sender, which, FanOutMark.startedNanos(from), frames.takeWireBytes(), missed);
    }

    private String named() {
        return "a message that came on connection " + number;
    }

    // The end. A server may close connections that are slow.

    @Override
    public void onEnd(Connection conn) {
        fail("the server ended connection " + number);
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        fail("connection " + number + " was closed" + (cause == null ? "" : ": " + cause.getMessage()));
        load.isClosed();
    }

    private void fail(String why) {
        if (isOver) return;
        isOver = true;
        connection.abort();
        if (isGreeting || !isSlow) load.ended(this, why);
    }

    /// The load is over.
    void close() {
        if (isOver) return;
        isOver = true;
        if (isSlow) connection.abort();
        else connection.close();
    }
}
