package io.millrace.http.memory;

import io.millrace.bytes.Bytes;
import io.millrace.http.exchange.ExchangeStream;
import io.millrace.loop.EventLoop;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabSource;
import java.io.ByteArrayOutputStream;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/// Common to both sides of the in-memory version: sent bytes wait until the peer takes them, and more than a
/// window of them is too much.
abstract class MemorySide implements ExchangeStream {
    final MemoryCarrier carrier;
    private final int windowBytes;
    private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final List<Runnable> whenSent = new ArrayList<>();
    private boolean isWoken;

    MemorySide(MemoryCarrier carrier, int windowBytes) {
        this.carrier = carrier;
        this.windowBytes = windowBytes;
    }

    /// It was woken, or there is room again.
    abstract void goOn();

    final void write(Bytes part) {
        unsent.writeBytes(part.toArray());
    }

    final void write(LoopOutput part) {
        write(part.toBytes());
        part.release();
    }

    /// The peer takes some of the sent bytes.
    public void take(int bytes) {
        boolean wasFull = isFull();
        var all = unsent.toByteArray();
        int taken = Math.min(bytes, all.length);
        received.write(all, 0, taken);
        unsent.reset();
        unsent.write(all, taken, all.length - taken);
        if (unsent.size() == 0) {
            var tasks = List.copyOf(whenSent);
            whenSent.clear();
            tasks.forEach(Runnable::run);
        }
        if (wasFull && !isFull()) goOn();
    }

    /// Drops the waiting bytes without a callback.
    final void dropUnsent() {
        unsent.reset();
        whenSent.clear();
    }

    /// The peer forgets what it has received.
    final void forgetReceived() {
        received.reset();
    }

    /// What the peer has received.
    public final byte[] received() {
        return received.toByteArray();
    }

    public final boolean hasUnsent() {
        return unsent.size() > 0;
    }

    public final int windowBytes() {
        return windowBytes;
    }

    public final long unsentBytes() {
        return unsent.size();
    }

    @Override
    public final boolean isFull() {
        return unsent.size() >= windowBytes;
    }

    @Override
    public final void whenSent(Runnable task) {
        if (unsent.size() == 0) carrier.execute(task);
        else whenSent.add(task);
    }

    @Override
    public final void wake() {
        if (isWoken) return;
        isWoken = true;
        carrier.execute(() -> {
            isWoken = false;
            goOn();
        });
    }

    @Override
    public final EventLoop loop() {
        return carrier.loop();
    }

    @Override
    public final SocketAddress remote() {
        return carrier.connection().remote();
    }

    @Override
    public final SlabSource source() {
        return loop().pool();
    }
}
