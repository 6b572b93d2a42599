package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/// An output with a kernel behind it, and beside them an array of the bytes that were written and not sent.
final class OutputModel implements LoopOutput.Watcher {
    private static final int MARK = 100_000;

    private final SlabPool pool;
    private final Random random;
    private final LoopOutput output;
    private final Chain kernel = new Chain();
    private byte[] unsent = new byte[0];
    private boolean hasBegun;

    OutputModel(SlabPool pool, Random random) {
        this.pool = pool;
        this.random = random;
        this.output = new LoopOutput(pool, MARK, this);
    }

    @Override
    public void outputBegan() {
        assertFalse(hasBegun, "began twice");
        hasBegun = true;
    }

    @Override
    public void outputIsFull() {
        assertTrue(output.size() > MARK);
        handOver();
    }

    void check() {
        assertEquals(unsent.length, output.size() + kernel.size());
        assertEquals(output.size() > 0, hasBegun);
    }

    void move(LoopInput input, byte[] bytes) {
        output.move(input, bytes.length);
        expect(bytes);
    }

    void write() {
        if (random.nextBoolean()) writeNumber(random.nextLong());
        else writeMany();
    }

    private void writeNumber(long value) {
        int low = (int) value;
        var big = ByteBuffer.allocate(Long.BYTES);
        var little = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        switch (random.nextInt(7)) {
            case 0 -> expect(big.put((byte) low), output.writeByte(low).size());
            case 1 -> expect(big.putShort((short) low), output.writeShort(low).size());
            case 2 ->
                expect(little.putShort((short) low), output.writeShortLE(low).size());
            case 3 -> expect(big.putInt(low), output.writeInt(low).size());
            case 4 -> expect(little.putInt(low), output.writeIntLE(low).size());
            case 5 -> expect(big.putLong(value), output.writeLong(value).size());
            default -> expect(little.putLong(value), output.writeLongLE(value).size());
        }
    }

    private void writeMany() {
        var bytes = new byte[random.nextInt(1 << random.nextInt(17))];
        random.nextBytes(bytes);
        switch (random.nextInt(4)) {
            case 0 -> writeBetween(bytes);
            case 1 -> output.write(Bytes.of(bytes));
            case 2 -> {
                Arrays.fill(bytes, (byte) 'a');
                output.writeUtf8(new String(bytes, StandardCharsets.US_ASCII));
            }
            default -> {
                writeFrame(bytes);
                return;
            }
        }
        expect(bytes);
    }

    private void writeBetween(byte[] bytes) {
        var array = new byte[bytes.length + 2];
        System.arraycopy(bytes, 0, array, 1, bytes.length);
        output.write(array, 1, bytes.length);
    }

    /// A length in front that is filled in at the end; nothing may leave meanwhile.
    private void writeFrame(byte[] bytes) {
        var frame = output.frame();
        frame.begin(Integer.BYTES);
        output.write(bytes, 0, bytes.length);
        var length = ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array();
        for (int i = 0; i < Integer.BYTES; i++) frame.set(i, length[i]);
        expect(length);
        expect(bytes);
        frame.end();
    }

    /// What a loop does at the end of its turn, and the kernel with a part of it.
    void send() {
        handOver();
        int count = random.nextBoolean() ? unsent.length : random.nextInt(unsent.length + 1);
        take(count);
    }

    void sendAll() {
        handOver();
        take(unsent.length);
        check();
    }

    private void handOver() {
        output.chain().pass(Slab.Owner.OUTPUT, Slab.Owner.KERNEL);
        kernel.appendAll(output.chain());
        hasBegun = false;
    }

    private void take(int count) {
        assertArrayEquals(unsent, Arrivals.bytes(kernel));
        kernel.drop(count, Slab.Owner.KERNEL, pool);
        unsent = Arrays.copyOfRange(unsent, count, unsent.length);
    }

    private void expect(ByteBuffer number, long size) {
        assertTrue(size >= number.position());
        var bytes = new byte[number.position()];
        number.get(0, bytes);
        expect(bytes);
    }

    private void expect(byte[] bytes) {
        int before = unsent.length;
        unsent = Arrays.copyOf(unsent, before + bytes.length);
        System.arraycopy(bytes, 0, unsent, before, bytes.length);
    }
}
