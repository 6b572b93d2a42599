package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Underflow;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/// An input, and beside it an array of the bytes that nobody has read.
final class InputModel {
    private static final int MOST_UNREAD = 300_000;

    private final SlabPool pool;
    private final Random random;
    private final LoopInput input;
    private byte[] unread = new byte[0];

    /// How much of `unread` the loan shows.
    private int visible;

    InputModel(SlabPool pool, Random random) {
        this.pool = pool;
        this.random = random;
        this.input = new LoopInput(pool);
        input.lend(pool);
    }

    void check() {
        assertEquals(unread.length, input.size());
        assertEquals(visible, input.remaining());
    }

    void arrive() {
        if (unread.length > MOST_UNREAD) return;
        var bytes = new byte[1 + random.nextInt(1 << random.nextInt(17))];
        // Few different values, so that what is searched for is often there.
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (random.nextInt(8) * 37);
        if (bytes.length <= SlabPool.LARGE && random.nextBoolean()) {
            input.append(Arrivals.received(pool, bytes), Slab.Owner.KERNEL);
        } else {
            input.appendAll(Arrivals.chain(pool, bytes, cuts(bytes.length)));
        }
        int before = unread.length;
        unread = Arrays.copyOf(unread, before + bytes.length);
        System.arraycopy(bytes, 0, unread, before, bytes.length);
    }

    /// At least one cut, and no slab too long.
    private int[] cuts(int length) {
        if (length == 1) return new int[0];
        var cuts = random.ints(1 + random.nextInt(4), 1, length);
        var oftenEnough = java.util.stream.IntStream.iterate(60_000, at -> at < length, at -> at + 60_000);
        return java.util.stream.IntStream.concat(cuts, oftenEnough)
                .sorted()
                .distinct()
                .toArray();
    }

    void lendAgain() {
        input.endLoan(pool);
        assertThrows(IllegalStateException.class, input::readByte);
        if (random.nextBoolean()) input.compact();
        input.lend(random.nextBoolean() ? pool : pool.reserve());
        visible = unread.length;
    }

    void readFrame() {
        int length = upTo(visible);
        int before = visible;
        long hidden = input.narrow(length);
        visible = length;
        for (int i = random.nextInt(4); i > 0; i--) {
            read();
            check();
        }
        int consumed = length - visible;
        input.widen(hidden);
        visible = before - consumed;
    }

    void moveTo(OutputModel output) {
        int length = upTo(visible);
        output.move(input, Arrays.copyOf(unread, length));
        consume(length);
    }

    void readAll() {
        lendAgain();
        assertArrayEquals(unread, input.readBytes(unread.length).toArray());
        consume(unread.length);
        check();
    }

    void read() {
        switch (random.nextInt(14)) {
            case 0 -> number(Byte.BYTES, () -> input.readByte(), in -> (long) in.get());
            case 1 -> number(Byte.BYTES, () -> input.readUnsignedByte(), in -> in.get() & 0xffL);
            case 2 -> number(Short.BYTES, () -> input.readShort(), in -> (long) in.getShort());
            case 3 -> number(Short.BYTES, () -> input.readUnsignedShort(), in -> in.getShort() & 0xffffL);
            case 4 ->
                number(Short.BYTES, () -> input.readShortLE(), in ->
                        (long) little(in).getShort());
            case 5 -> number(Integer.BYTES, () -> input.readInt(), in -> (long) in.getInt());
            case 6 ->
                number(Integer.BYTES, () -> input.readIntLE(), in ->
                        (long) little(in).getInt());
            case 7 -> number(Long.BYTES, () -> input.readLong(), ByteBuffer::getLong);
            case 8 ->
                number(Long.BYTES, () -> input.readLongLE(), in -> little(in).getLong());
            case 9 -> readBytes();
            case 10 -> readText();
            case 11 -> readIntoArray();
            case 12 -> skip();
            default -> look();
        }
    }

    private interface Read {
        long read();
    }

    private interface Model {
        long read(ByteBuffer in);
    }

    private void number(int length, Read read, Model model) {
        if (visible < length) {
            assertThrows(Underflow.class, read::read);
            return;
        }
        assertEquals(model.read(ByteBuffer.wrap(unread)), read.read());
        consume(length);
    }

    private static ByteBuffer little(ByteBuffer in) {
        return in.order(ByteOrder.LITTLE_ENDIAN);
    }

    private void readBytes() {
        assertThrows(Underflow.class, () -> input.readBytes(visible + 1L));
        int length = upTo(visible);
        assertArrayEquals(Arrays.copyOf(unread, length), input.readBytes(length).toArray());
        consume(length);
    }

    private void readText() {
        int length = upTo(visible);
        assertEquals(new String(unread, 0, length, StandardCharsets.UTF_8), input.readUtf8(length));
        consume(length);
    }

    private void readIntoArray() {
        int length = upTo(visible);
        int offset = random.nextInt(3);
        var to = new byte[offset + length + random.nextInt(3)];
        input.read(to, offset, length);
        assertArrayEquals(Arrays.copyOf(unread, length), Arrays.copyOfRange(to, offset, offset + length));
        consume(length);
    }

    private void skip() {
        int length = upTo(visible);
        input.skip(length);
        consume(length);
    }

    private void look() {
        var in = ByteBuffer.wrap(unread, 0, visible);
        if (visible >= Long.BYTES) {
            int at = random.nextInt(visible - Long.BYTES + 1);
            assertEquals(in.get(at), input.peekByte(at));
            assertEquals(in.getShort(at), input.peekShort(at));
            assertEquals(in.getInt(at), input.peekInt(at));
            assertEquals(in.getLong(at), input.peekLong(at));
        }
        assertThrows(Underflow.class, () -> input.peekByte(visible));
        search();
    }

    private void search() {
        int from = upTo(visible);
        byte wanted = (byte) (random.nextInt(9) * 37);
        assertEquals(indexOf(new byte[] {wanted}, from), input.indexOf(wanted, from));
        byte[] several = visible > 0 && random.nextBoolean()
                ? Arrays.copyOfRange(unread, from, from + upTo(Math.min(6, visible - from)))
                : new byte[] {wanted, (byte) 37};
        assertEquals(indexOf(several, from), input.indexOf(Bytes.of(several), from));
    }

    private int indexOf(byte[] wanted, int from) {
        for (int at = from; at <= visible - wanted.length; at++) {
            if (Arrays.equals(unread, at, at + wanted.length, wanted, 0, wanted.length)) return at;
        }
        return -1;
    }

    private void consume(int length) {
        unread = Arrays.copyOfRange(unread, length, unread.length);
        visible -= length;
    }

    /// Small ones and all of it as often as any other.
    private int upTo(int most) {
        return switch (random.nextInt(4)) {
            case 0 -> most;
            case 1 -> Math.min(most, random.nextInt(20));
            default -> random.nextInt(most + 1);
        };
    }
}
