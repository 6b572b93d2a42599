package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Underflow;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InputLoanTest {
    private static final byte[] SEVEN = {1, 2, 3, 4, 5, 6, 7};

    private final SlabPool pool = new SlabPool(64 << 20, true);
    private final LoopInput input = new LoopInput(pool);

    @AfterEach
    void every_slab_comes_home() {
        input.release();
        assertEquals(0, pool.missing());
    }

    private void arrive(byte[] bytes, int... cuts) {
        input.appendAll(Arrivals.chain(pool, bytes, cuts));
    }

    private LoopInput lent(byte[] bytes, int... cuts) {
        arrive(bytes, cuts);
        input.lend(pool);
        return input;
    }

    static Stream<Named<Consumer<Input>>> readsOfEight() {
        return Stream.of(
                Named.of("readLong", Input::readLong),
                Named.of("readLongLE", Input::readLongLE),
                Named.of("peekLong", in -> in.peekLong(0)),
                Named.of("peekInt", in -> in.peekInt(4)),
                Named.of("peekShort", in -> in.peekShort(6)),
                Named.of("peekByte", in -> in.peekByte(7)),
                Named.of("peekByte far behind", in -> in.peekByte(Long.MAX_VALUE)),
                Named.of("peekLong far behind", in -> in.peekLong(Long.MAX_VALUE)),
                Named.of("readUtf8", in -> in.readUtf8(8)),
                Named.of("readBytes", in -> in.readBytes(8)),
                Named.of("readBytes of very much", in -> in.readBytes(Long.MAX_VALUE)),
                Named.of("read", in -> in.read(new byte[8], 0, 8)),
                Named.of("skip", in -> in.skip(8)),
                Named.of("narrow", in -> ((LoopInput) in).narrow(8)));
    }

    @ParameterizedTest
    @MethodSource("readsOfEight")
    void a_read_past_the_end_consumes_nothing(Consumer<Input> read) {
        lent(SEVEN, 3);
        assertThrows(Underflow.class, () -> read.accept(input));
        assertEquals(7, input.remaining());
        assertArrayEquals(SEVEN, input.readBytes(7).toArray());
    }

    @Test
    void a_read_past_the_end_says_what_was_needed_and_what_is_there() {
        lent(SEVEN);
        var underflow = assertThrows(Underflow.class, () -> input.peekInt(4));
        assertEquals("needed 4 bytes at 4, the input has 7", underflow.getMessage());
    }

    static Stream<Named<Consumer<Input>>> negativeOnes() {
        return Stream.of(
                Named.of("peekByte", in -> in.peekByte(-1)),
                Named.of("peekShort", in -> in.peekShort(-1)),
                Named.of("peekInt", in -> in.peekInt(-1)),
                Named.of("peekLong", in -> in.peekLong(Long.MIN_VALUE)),
                Named.of("readUtf8", in -> in.readUtf8(-1)),
                Named.of("readBytes", in -> in.readBytes(-1)),
                Named.of("skip", in -> in.skip(Long.MIN_VALUE)),
                Named.of("narrow", in -> ((LoopInput) in).narrow(-1)));
    }

    @ParameterizedTest
    @MethodSource("negativeOnes")
    void negative_lengths_and_positions_are_refused(Consumer<Input> read) {
        lent(SEVEN, 3);
        var refusal = assertThrows(IndexOutOfBoundsException.class, () -> read.accept(input));
        assertTrue(String.valueOf(refusal.getMessage()).endsWith("is negative"), refusal.getMessage());
        assertEquals(7, input.remaining());
    }

    static Stream<Named<Consumer<Input>>> reads() {
        var reads = Stream.<Named<Consumer<Input>>>of(
                Named.of("readByte", Input::readByte),
                Named.of("readShort", Input::readShort),
                Named.of("readInt", Input::readInt),
                Named.of("readUtf8 of nothing", in -> in.readUtf8(0)),
                Named.of("readBytes of nothing", in -> in.readBytes(0)),
                Named.of("read of nothing", in -> in.read(new byte[0], 0, 0)),
                Named.of("skip of nothing", in -> in.skip(0)),
                Named.of("indexOf a byte", in -> in.indexOf((byte) 1)),
                Named.of("indexOf bytes", in -> in.indexOf(Bytes.of((byte) 1), 0)),
                Named.of("indexOf nothing", in -> in.indexOf(Bytes.EMPTY, 0)));
        return Stream.concat(reads, readsOfEight());
    }

    @ParameterizedTest
    @MethodSource("reads")
    void a_read_after_the_loan_says_that_it_is_over(Consumer<Input> read) {
        lent(SEVEN, 3).endLoan(pool);
        var refusal = assertThrows(IllegalStateException.class, () -> read.accept(input));
        assertEquals(
                "this Input was lent to you until you returned (callback) or read again (direct style), and that is "
                        + "over: keep bytes with readBytes or readUtf8",
                refusal.getMessage());
        input.lend(pool);
        assertEquals(7, input.remaining());
    }

    @Test
    void nothing_is_lent_at_first() {
        arrive(SEVEN);
        assertFalse(input.isLent());
        assertEquals(0, input.remaining());
        assertThrows(IllegalStateException.class, input::readByte);
    }

    @Test
    void nothing_remains_when_the_loan_is_over() {
        assertTrue(lent(SEVEN).isLent());
        input.endLoan(pool);
        assertFalse(input.isLent());
        assertEquals(0, input.remaining());
        assertTrue(input.isEmpty());
        assertEquals(7, input.size());
    }

    @Test
    void an_output_takes_nothing_from_an_input_that_is_not_lent() {
        lent(SEVEN).endLoan(pool);
        var output = new LoopOutput(pool, 1000, new Watched());
        assertThrows(IllegalStateException.class, () -> output.move(input));
        assertEquals(0, output.size());
    }

    @Test
    void what_was_left_unread_is_offered_again_in_front_of_what_came_since() {
        lent(new byte[] {1, 2, 3}).skip(1);
        input.endLoan(pool);
        arrive(new byte[] {4, 5});
        input.lend(pool);
        assertArrayEquals(new byte[] {2, 3, 4, 5}, input.readBytes(4).toArray());
    }

    @Test
    void what_arrives_during_a_loan_is_not_seen_before_the_next() {
        lent(new byte[] {1, 2});
        input.append(Arrivals.received(pool, (byte) 3), Slab.Owner.KERNEL);
        assertEquals(2, input.remaining());
        assertThrows(Underflow.class, () -> input.peekByte(2));
        input.endLoan(pool);
        input.lend(pool);
        assertEquals(3, input.peekByte(2));
    }

    @Test
    void a_frame_ends_where_it_was_narrowed() {
        long hidden = lent(SEVEN, 3).narrow(5);
        assertEquals(5, input.remaining());
        input.skip(2);
        assertThrows(Underflow.class, input::readInt);
        assertEquals(3, input.remaining());
        input.widen(hidden);
        assertArrayEquals(new byte[] {3, 4, 5, 6, 7}, input.readBytes(5).toArray());
    }

    @Test
    void frames_nest() {
        long outer = lent(SEVEN).narrow(6);
        long inner = input.narrow(1);
        assertEquals(1, input.readByte());
        input.widen(inner);
        assertEquals(5, input.remaining());
        input.widen(outer);
        assertEquals(6, input.remaining());
    }

    @Test
    void widening_shows_nothing_of_a_connection_that_closed_meanwhile() {
        long hidden = lent(SEVEN).narrow(2);
        input.release();
        input.widen(hidden);
        assertEquals(0, input.remaining());
        assertThrows(Underflow.class, input::readByte);
    }

    @Test
    void widening_does_not_revive_a_loan() {
        long hidden = lent(SEVEN).narrow(2);
        input.endLoan(pool);
        input.widen(hidden);
        assertFalse(input.isLent());
    }

    @Test
    void widening_in_a_later_loan_shows_what_there_is() {
        long hidden = lent(SEVEN).narrow(2);
        input.endLoan(pool);
        input.lend(pool);
        input.widen(hidden);
        assertEquals(7, input.remaining());
    }
}
