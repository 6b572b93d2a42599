package io.millrace.sim.network;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/// One direction of a connection in a [MemoryNetwork]: the sender's buffer, what is on its way, and the
/// receiver's buffer, as one ring of bytes with four positions: up to where bytes were read, have arrived, have
/// departed, and were written.
///
/// ```
///    read ≤ arrived ≤ departed ≤ written
///      └ receiver's ┘└ on its way ┘└ sender's ┘      sender's + on its way ≤ send capacity
///      └ receiver's + on its way ≤ receive capacity  ┘
/// ```
/// Everything arrives in the order in which it departed, the end after the last byte.
final class Wire {
    private static final int FIRST_BYTES = 256;

    private final MemoryNetwork network;
    private final MemorySocket from;
    private final MemorySocket to;
    private final int sendCapacity;
    private final int receiveCapacity;
    private byte[] ring = new byte[FIRST_BYTES];
    private long read;
    private long arrived;
    private long departed;
    private long written;
    private boolean endWritten;
    private boolean endDeparted;
    private boolean endArrived;

    /// Nothing more departs: the sender was reset, or has reset the connection.
    private boolean isCut;

    /// Nothing more arrives: the receiver was reset.
    private boolean isDeaf;

    /// How many bytes may depart until the network loses the connection.
    private long bytesUntilCut;

    private final UnderWay underWay = new UnderWay();
    private final Runnable chunkArrives = this::chunkArrives;

    private boolean isSpurred;

    /// How many bytes will travel together next; 0 while undecided.
    private int nextChunk;

    private long lastArrivalNanos;
    private long busyUntilNanos;

    Wire(MemoryNetwork network, MemorySocket from, MemorySocket to) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.sendCapacity = network.conditions().bufferBytes(network.luck());
        this.receiveCapacity = network.conditions().bufferBytes(network.luck());
        this.bytesUntilCut = network.cutAfterBytes();
    }

    // The sender's side.

    /// How many bytes the sender's buffer takes.
    int room() {
        return isCut || endWritten ? 0 : (int) (sendCapacity - (written - arrived));
    }

    /// Takes as many bytes as there is room for, or fewer: then the sender is told when to try again.
    int write(MemorySegment bytes, long offset, int length) {
        int count = Math.min(length, room());
        if (count > 0 && network.luck().chance(network.conditions().partialWrites())) {
            count = network.luck().below(count);
            spurLater();
        }
        if (count == 0) return 0;
        ensure((int) (written + count - read));
        int at = place(written);
        int first = Math.min(count, ring.length - at);
        MemorySegment.copy(bytes, JAVA_BYTE, offset, ring, at, first);
        MemorySegment.copy(bytes, JAVA_BYTE, offset + first, ring, 0, count - first);
        written += count;
        network.note("send", from.id(), count);
        depart();
        return count;
    }

    private void spurLater() {
        if (isSpurred) return;
        isSpurred = true;
        network.after(network.delayNanos(), () -> {
            isSpurred = false;
            from.changed();
        });
    }

    void end() {
        endWritten = true;
        depart();
    }

    void cut() {
        isCut = true;
    }

    private void depart() {
        while (!isCut && departed < written) {
            if (nextChunk == 0) nextChunk = network.conditions().chunkBytes(network.luck());
            int count = (int) Math.min(nextChunk, written - departed);
            long window = receiveCapacity - (departed - read);
            // As in TCP (RFC 1122, 4.2.3.4), a reader of single bytes does not make single bytes travel.
            if (window < Math.min(count, (receiveCapacity + 1) / 2)) return;
            count = (int) Math.min(Math.min(count, window), bytesUntilCut);
            nextChunk = 0;
            departed += count;
            bytesUntilCut -= count;
            if (count > 0) transmit(count);
            if (bytesUntilCut == 0) lose();
            else from.chunkDeparted();
        }
        if (isCut || !endWritten || endDeparted || departed < written) return;
        endDeparted = true;
        carry(this::endArrived);
    }

    /// The network loses the connection: the receiver learns of it after what has departed.
    private void lose() {
        isCut = true;
        network.note("cut", from.id(), departed);
        carry(to::wasReset);
        network.after(network.delayNanos(), from::wasReset);
    }

    private void transmit(int count) {
        long begins = Math.max(busyUntilNanos, network.nowNanos());
        busyUntilNanos = begins + network.conditions().transmissionNanos(count);
        boolean isFirst = underWay.isEmpty();
        underWay.add(nextArrivalNanos(), network.nextOrder(), count);
        if (isFirst) expectChunk();
    }

    private void expectChunk() {
        network.at(underWay.atNanos(), underWay.order(), chunkArrives);
    }

    private void chunkArrives() {
        int count = underWay.remove();
        if (!underWay.isEmpty()) expectChunk();
        if (network.isCutOff(from)) network.hold(() -> arrived(count));
        else arrived(count);
    }

    /// Schedules an arrival after everything that has departed.
    void carry(Runnable arrival) {
        network.travel(from, nextArrivalNanos(), arrival);
    }

    private long nextArrivalNanos() {
        long atNanos = Math.max(busyUntilNanos, network.nowNanos()) + network.delayNanos();
        lastArrivalNanos = Math.max(lastArrivalNanos, atNanos);
        return lastArrivalNanos;
    }

    /// Schedules an arrival before or after what has departed, as luck decides.
    void carryOvertaking(Runnable arrival) {
        if (network.luck().chance(0.5)) carry(arrival);
        else network.travel(from, network.nowNanos() + network.delayNanos(), arrival);
    }

    // The receiver's side.

    private void arrived(int count) {
        if (isDeaf) return;
        arrived += count;
        network.note("arrive", to.id(), count);
        to.received();
        // As in Linux, a sender is told of room when a third of its buffer is free.
        if (room() >= sendCapacity / 3) from.changed();
    }

    private void endArrived() {
        if (isDeaf) return;
        endArrived = true;
        network.note("end", to.id(), 0);
        to.changed();
    }

    int readable() {
        return (int) (arrived - read);
    }

    /// Whether everything was read, and nothing follows.
    boolean isAtEnd() {
        return endArrived && read == arrived;
    }

    int read(MemorySegment into, long offset, int length) {
        int count = Math.min(length, readable());
        int at = place(read);
        int first = Math.min(count, ring.length - at);
        MemorySegment.copy(ring, at, into, JAVA_BYTE, offset, first);
        MemorySegment.copy(ring, 0, into, JAVA_BYTE, offset + first, count - first);
        read += count;
        depart();
        return count;
    }

    /// The receiver loses what has arrived, and with it the end.
    void discard() {
        read = arrived;
        endArrived = false;
    }

    void deafen() {
        isDeaf = true;
    }

    private int place(long position) {
        return (int) (position & (ring.length - 1));
    }

    private void ensure(int capacity) {
        if (capacity <= ring.length) return;
        var grown = new byte[Integer.highestOneBit(capacity - 1) * 2];
        for (long at = read; at < written; at++) grown[(int) (at & (grown.length - 1))] = ring[place(at)];
        ring = grown;
    }
}
