package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One connection of a load: sends messages when its [LoadLoop] allows, and judges what comes back. The loop's.
///
/// A message is written in pieces, and judged as it arrives, wherever the network cuts it. The pieces stay below the
/// high watermark, above which a connection does not read from a peer that does not read: an echo server does the
/// same, and both would wait for ever. After anything wrong the connection is over: no later byte could be trusted
/// to stand where it belongs.
final class LoadConnection implements Handler {
    /// Half of the watermark's default; with one more piece there is still room.
    private static final long BURST_BYTES = 128 << 10;

    private final LoadLoop load;
    private final Connection connection;
    private final Pattern pattern;

    /// Among all connections of the load, from 0; part of its messages.
    private final int number;

    /// Among those of its loop.
    private final int index;

    /// In a closed loop, when messages under way were started, by sequence number modulo the depth.
    private final long[] startNanos;

    private long started;
    private long answered;

    /// How many messages are to come back, once that is known.
    private long aim = Long.MAX_VALUE;

    /// Bytes of the message in writing, 0 between two.
    private int writtenBytes;

    /// Bytes of the message that comes back.
    private int readBytes;

    private long bytesUnderWay;

    /// At most so many bytes are not in the kernel's hands.
    private long unsentBytes;

    private boolean isWaitingForRoom;
    private final Runnable onRoom = this::hasRoomAgain;
    private boolean isOver;

    LoadConnection(LoadLoop load, Connection connection, int number, int index) {
        this.load = load;
        this.connection = connection;
        this.pattern = load.pattern;
        this.number = number;
        this.index = index;
        this.startNanos = new long[load.settings.isOpenLoop() ? 0 : load.settings.depth()];
    }

    // Sending.

    /// Writes everything that may start by now, as far as there is room.
    void pump(long nowNanos) {
        // What has come back had been sent.
        unsentBytes = Math.min(unsentBytes, bytesUnderWay);
        while (!isOver && !isWaitingForRoom && unsentBytes < BURST_BYTES && (writtenBytes > 0 || start(nowNanos)))
            writePiece();
        if (isOver || unsentBytes < BURST_BYTES || isWaitingForRoom) return;
        isWaitingForRoom = true;
        connection.whenSent(onRoom);
    }

    private void writePiece() {
        int written = pattern.write(connection.output(), Pattern.mark(number, started - 1), writtenBytes);
        bytesUnderWay += written;
        unsentBytes += written;
        writtenBytes += written;
        if (writtenBytes == load.settings.sizeBytes()) writtenBytes = 0;
    }

    private void hasRoomAgain() {
        isWaitingForRoom = false;
        unsentBytes = 0;
        pump(load.clock.nanos());
    }

    private boolean start(long nowNanos) {
        if (started - answered == load.settings.depth() || !load.mayStart(index, started, nowNanos)) return false;
        if (startNanos.length > 0) startNanos[slot(started)] = nowNanos;
        started++;
        load.started(nowNanos);
        return true;
    }

    private int slot(long sequence) {
        return (int) (sequence % startNanos.length);
    }

    // Receiving.

    @Override
    public void onInput(Input in) {
        long nowNanos = load.clock.nanos();
        while (!isOver && !in.isEmpty()) receive(in, nowNanos);
        pump(nowNanos);
    }

    private void receive(Input in, long nowNanos) {
        if (in.remaining() > bytesUnderWay) {
            fail("connection " + number + " got more bytes back than it had sent");
            return;
        }
        int length = (int) Math.min(in.remaining(), load.settings.sizeBytes() - readBytes);
        if (!isRight(in, length)) return;
        bytesUnderWay -= length;
        readBytes += length;
        if (readBytes < load.settings.sizeBytes()) return;
        readBytes = 0;
        load.answered(this, startOf(answered++), nowNanos);
    }

    private boolean isRight(Input in, int length) {
        if (!load.settings.isVerifying()) {
            in.skip(length);
            return true;
        }
        int wrong = pattern.firstWrong(in, Pattern.mark(number, answered), readBytes, length);
        if (wrong < 0) return true;
        fail("byte " + wrong + " of message " + answered + " on connection " + number + " came back wrong");
        return false;
    }

    private long startOf(long sequence) {
        return startNanos.length > 0 ? startNanos[slot(sequence)] : load.dueNanos(index, sequence);
    }

    // The end.

    /// From now on it is known how many messages are to come back.
    void aimAt(long messages) {
        aim = messages;
    }

    /// How many messages are still to come back.
    long left() {
        return isOver ? 0 : aim - answered;
    }

    long started() {
        return started;
    }

    boolean isOver() {
        return isOver;
    }

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
        long left = left();
        isOver = true;
        connection.abort();
        load.failed(left, why);
    }

    /// The load is over, and nothing that happens to this connection matters any more.
    void close() {
        if (isOver) return;
        isOver = true;
        if (started == answered) connection.close();
        else connection.abort();
    }
}
