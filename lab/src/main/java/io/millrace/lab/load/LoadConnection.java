package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One connection of a load: sends the messages of its [Lane], and takes what comes back to its [Conversation].
/// The loop's.
///
/// A message is written in pieces. They stay below the high watermark, above which a connection does not read
/// from a peer that does not read: a server does the same, and both would wait for ever. After anything wrong the
/// connection is over: no later byte could be trusted to stand where it belongs.
///
/// After a connection's last answer, the server closes. The side that closes first keeps the port for a minute
/// (TIME_WAIT, RFC 9293 section 3.6.1), and a load that makes thousands of connections a second would soon have
/// no port left. Only where the protocol says so does the load close first.
final class LoadConnection implements LoadPart.Entrant {
    /// Half of the watermark's default; with one more piece there is still room.
    private static final long BURST_BYTES = 128 << 10;

    private final LoadLoop load;
    private final Lane lane;
    private final Connection connection;
    private final Conversation conversation;

    /// Messages below this number were sent, or are being sent.
    private long sent;

    /// Bytes of the message in writing, 0 between two.
    private int writtenBytes;

    /// At most so many bytes are not in the kernel's hands.
    private long unsentBytes;

    private boolean isWaitingForRoom;

    /// Whether its last answer has come, so that nothing is missing but its end.
    private boolean isEnding;

    private final Runnable onRoom = this::hasRoomAgain;
    private boolean isOver;

    /// Whether the server has to agree to something before the load begins.
    private boolean isGreeting;

    /// @param first the number of the first message to be sent
    LoadConnection(LoadLoop load, Lane lane, Connection connection, Conversation conversation, long first) {
        this.load = load;
        this.lane = lane;
        this.connection = connection;
        this.conversation = conversation;
        this.sent = first;
    }

    // Beginning.

    @Override
    public void greet() {
        load.loop().execute(this::open);
    }

    private void open() {
        // A connection that has failed is none of those that the load waits for.
        isGreeting = !conversation.isOpen() && !isOver;
        if (!isGreeting) {
            load.opened();
            return;
        }
        conversation.reply(connection.output());
        var patience = load.settings.patience();
        load.loop().after(patience, () -> {
            if (isGreeting && !isOver) fail("the server did not agree within " + patience.toSeconds() + " s");
        });
    }

    private void goOnOpening() {
        isGreeting = !conversation.isOpen();
        if (isGreeting) conversation.reply(connection.output());
        else load.opened();
    }

    // Sending.

    /// Writes everything that may start by now, as far as there is room.
    void pump(long nowNanos) {
        if (!isOver) conversation.reply(connection.output());
        // What was answered had been sent.
        unsentBytes = Math.min(unsentBytes, (sent - lane.answered()) * conversation.sizeBytes());
        boolean isMoving = true;
        while (isMoving && maySend() && !isWaitingForRoom && unsentBytes < BURST_BYTES)
            isMoving = (writtenBytes > 0 || begin(nowNanos)) && writePiece();
        if (!maySend() || unsentBytes < BURST_BYTES || isWaitingForRoom) return;
        isWaitingForRoom = true;
        connection.whenSent(onRoom);
    }

    private boolean maySend() {
        return !isOver && !isEnding;
    }

    private boolean begin(long nowNanos) {
        if (!conversation.hasRoom() || !lane.hasStarted(sent, nowNanos)) return false;
        sent++;
        return true;
    }

    /// @return whether the server had room for it
    private boolean writePiece() {
        int written = conversation.write(connection.output(), sent - 1, writtenBytes);
        unsentBytes += written;
        writtenBytes += written;
        if (writtenBytes == conversation.sizeBytes()) writtenBytes = 0;
        return written > 0;
    }

    private void hasRoomAgain() {
        isWaitingForRoom = false;
        unsentBytes = 0;
        pump(load.clock.nanos());
    }

    // Receiving.

    @Override
    public void onInput(Input in) {
        long nowNanos = load.clock.nanos();
        try {
            while (maySend() && !in.isEmpty() && conversation.read(in, lane.answered(), load.answer))
                answered(nowNanos);
        } catch (BadAnswer e) {
            fail(String.valueOf(e.getMessage()));
        }
        if (isGreeting && !isOver) goOnOpening();
        // Behind the last answer nothing is to come.
        if (isEnding) in.skip(in.remaining());
        if (conversation.hasEnded()) ended(nowNanos);
        pump(nowNanos);
    }

    private void answered(long nowNanos) {
        isEnding = load.answer.isLast();
        // That may end the load.
        lane.answered(load.answer.number(), nowNanos);
    }

    // The end.

    @Override
    public void onEnd(Connection conn) {
        if (isOver) return;
        long nowNanos = load.clock.nanos();
        if (!isEnding && conversation.end(lane.answered(), load.answer)) answered(nowNanos);
        if (isEnding) ended(nowNanos);
        else fail("the server ended connection " + lane.number());
    }

    private void ended(long nowNanos) {
        if (isOver) return;
        isOver = true;
        connection.close();
        lane.replace(nowNanos);
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        if (isEnding) ended(load.clock.nanos());
        else fail("connection " + lane.number() + " was closed" + (cause == null ? "" : ": " + cause.getMessage()));
        load.isClosed();
    }

    private void fail(String why) {
        if (isOver) return;
        isOver = true;
        connection.abort();
        if (isGreeting) load.notOpened(lane.number(), why);
        lane.failed(why);
    }

    boolean isEnding() {
        return isEnding;
    }

    /// The load is over.
    void close() {
        if (isOver) return;
        isOver = true;
        if (lane.started() == lane.answered()) connection.close();
        else connection.abort();
    }
}
