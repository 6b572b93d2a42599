package io.millrace.http.ws;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WsFollowerTest {
    private static final byte[] CODE = {3, (byte) 0xe9, 'b', 'y', 'e'};

    private static LoopInput input(byte[] bytes, int from, int to) {
        return LoopInput.of(Bytes.of(Arrays.copyOfRange(bytes, from, to)));
    }

    private static WsFollower followed(boolean isMasked, byte[]... frames) {
        var follower = new WsFollower(isMasked);
        var all = RawFrame.all(frames);
        assertEquals(all.length, follower.follow(input(all, 0, all.length), false));
        return follower;
    }

    private static byte[] frame(boolean isMasked, int first, byte[] payload) {
        return isMasked ? RawFrame.masked(first, payload) : RawFrame.plain(first, payload);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ends_are_found_whatever_arrives_at_a_time(boolean isMasked) {
        var random = new Random(1);
        var lengths = new int[] {0, 1, 125, 126, 127, 65_535, 65_536, 70_000, 3};
        var all = new byte[0];
        var ends = new ArrayList<Integer>();
        for (int length : lengths) {
            all = RawFrame.all(all, frame(isMasked, 0x82, new byte[length]));
            ends.add(all.length);
        }
        for (int round = 0; round < 200; round++) {
            var follower = new WsFollower(isMasked);
            var found = new ArrayList<Integer>();
            for (int at = 0; at < all.length; ) {
                int part = Math.min(all.length, at + 1 + random.nextInt(round < 100 ? 20_000 : 3_000));
                at += (int) follower.follow(input(all, at, part), true);
                if (follower.isBetween()) found.add(at);
            }
            assertEquals(ends, found);
            assertEquals(lengths.length, follower.messages());
        }
    }

    @Test
    void a_header_may_come_byte_by_byte() {
        var all = RawFrame.all(RawFrame.masked(2, new byte[300]), RawFrame.masked(0x80, "end"));
        var follower = new WsFollower(true);
        for (int i = 0; i < all.length; i++) {
            assertEquals(1, follower.follow(input(all, i, i + 1), false));
            boolean isEnd = i == 307 || i == all.length - 1;
            assertEquals(isEnd, follower.isBetween(), "behind byte " + i);
        }
        assertEquals(1, follower.messages());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_close_frame_is_the_end(boolean isMasked) {
        var closed = followed(isMasked, frame(isMasked, 0x88, CODE), new byte[] {1, 2, 3});
        assertTrue(closed.hasClosed());
        assertFalse(closed.isBetween());
        assertEquals(1001, closed.closeCode());
        assertEquals(
                1005, followed(isMasked, frame(isMasked, 0x88, new byte[0])).closeCode());
    }

    @Test
    void only_whole_messages_count() {
        var talk = followed(
                false,
                RawFrame.plain(1, new byte[2]),
                RawFrame.plain(0x89, new byte[0]),
                RawFrame.plain(0x80, new byte[2]),
                RawFrame.plain(0xc1, new byte[2]),
                RawFrame.plain(2, new byte[2]));
        assertEquals(2, talk.messages());
        assertTrue(talk.isBetween());
    }

    @Test
    void what_no_frame_begins_with_is_none() {
        var none = List.of(
                "hello".getBytes(US_ASCII),
                RawFrame.hex("8300"),
                RawFrame.hex("8b00"),
                RawFrame.hex("8180"),
                RawFrame.hex("a100"),
                RawFrame.hex("0900"),
                RawFrame.hex("897e0080"),
                RawFrame.hex("827f8000000000000000"));
        for (var bytes : none) {
            var lost = followed(false, bytes);
            assertTrue(lost.isLost(), () -> Arrays.toString(bytes));
            assertFalse(lost.isBetween());
        }
        assertTrue(followed(true, RawFrame.hex("8100")).isLost(), "a client's frame without a mask");
    }
}
