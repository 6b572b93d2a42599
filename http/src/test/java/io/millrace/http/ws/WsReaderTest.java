package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.all;
import static io.millrace.http.ws.RawFrame.hex;
import static io.millrace.http.ws.RawFrame.masked;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.SlabPool;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a reader makes of frames that are in order.
class WsReaderTest {
    private static final long ONE_SECOND_NANOS = 1_000_000_000L;

    @Test
    void a_masked_text_of_the_rfc() {
        assertEquals(List.of("text Hello"), ReadFrames.byServer(hex("81 85 37fa213d 7f9f4d5158")));
    }

    @Test
    void frames_of_a_server_have_no_mask() {
        try (var read = ReadFrames.of(false, WsLimits.standard(), null)) {
            read.arrive(hex("81 05 48656c6c6f  01 03 48656c  80 02 6c6f  89 05 48656c6c6f"));
            assertEquals(List.of("text Hello", "text Hello", "ping 48656c6c6f"), read.events);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 125, 126, 127, 65535, 65536, 70000, 200_000})
    void every_way_to_write_a_length(int length) {
        var payload = new byte[length];
        for (int i = 0; i < length; i++) payload[i] = (byte) (i * 7);
        assertEquals(
                List.of("bytes " + HexFormat.of().formatHex(payload)),
                ReadFrames.byServer(masked(FIN | WsCodes.BINARY, payload)));
    }

    @Test
    void a_message_in_fragments_with_frames_of_control_between_them() {
        assertEquals(
                List.of("ping 61", "pong 62", "text 12"),
                ReadFrames.byServer(
                        masked(WsCodes.TEXT, "1"),
                        masked(FIN | WsCodes.PING, "a"),
                        masked(WsCodes.CONTINUATION, ""),
                        masked(FIN | WsCodes.PONG, "b"),
                        masked(FIN | WsCodes.CONTINUATION, "2")));
    }

    @Test
    void a_message_is_passed_on_as_it_arrives() {
        try (var read = ReadFrames.ofServer()) {
            var frame = masked(FIN | WsCodes.TEXT, "hello");
            read.arrive(frame, 7, 9);
            assertEquals(3, read.parts());
            assertEquals(List.of("text hello"), read.events);
        }
    }

    @Test
    void of_a_long_frame_that_is_all_there_some_is_passed_on_at_a_time() {
        try (var read = ReadFrames.ofServer()) {
            var text = "x".repeat(300_000);
            read.arriveWhole(all(masked(FIN | WsCodes.TEXT, text), masked(FIN | WsCodes.TEXT, "next")));
            assertEquals(List.of("text " + text, "text next"), read.events);
            assertEquals(WsReader.MOST_PASSED_BYTES, read.longestPartBytes());
        }
    }

    @Test
    void a_character_may_be_split_between_fragments() {
        var text = "Hello-µ@ßöäüàá-UTF-8!! 😀".getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= text.length; cut++) {
            var first = Arrays.copyOf(text, cut);
            var second = Arrays.copyOfRange(text, cut, text.length);
            assertEquals(
                    List.of("text Hello-µ@ßöäüàá-UTF-8!! 😀"),
                    ReadFrames.byServer(masked(WsCodes.TEXT, first), masked(FIN | WsCodes.CONTINUATION, second)));
        }
    }

    @Test
    void a_close_without_a_code_and_with_one_and_what_follows_is_dropped() {
        var more = masked(FIN | WsCodes.TEXT, "more");
        assertEquals(List.of("close 1005"), ReadFrames.byServer(masked(FIN | WsCodes.CLOSE, ""), more));
        assertEquals(
                List.of("close 1001 büe"),
                ReadFrames.byServer(masked(FIN | WsCodes.CLOSE, hex("03e9 62c3bc65")), hex("ff ff ff")));
        assertEquals(List.of("close 4999"), ReadFrames.byServer(masked(FIN | WsCodes.CLOSE, hex("1387"))));
    }

    @Test
    void bytes_that_are_no_text_may_be_anything() {
        assertEquals(List.of("bytes ff00c0"), ReadFrames.byServer(masked(FIN | WsCodes.BINARY, hex("ff00c0"))));
    }

    @Test
    void a_mask_of_zeros_is_a_mask() {
        assertEquals(List.of("text hi"), ReadFrames.byServer(hex("81 82 00000000 6869")));
    }

    @Test
    void it_knows_whether_a_message_is_cut() {
        try (var read = ReadFrames.ofServer()) {
            assertFalse(read.isCut());
            read.arrive(masked(WsCodes.TEXT, "1"));
            assertTrue(read.isCut());
            read.arrive(masked(FIN | WsCodes.CONTINUATION, "2"));
            assertFalse(read.isCut());
            read.arrive(hex("81"));
            assertTrue(read.isCut());
        }
    }

    @Test
    void slabs_of_a_message_in_the_middle_come_home_when_the_connection_is_over() {
        try (var read = ReadFrames.ofServer()) {
            read.arrive(masked(WsCodes.BINARY, new byte[100_000]));
            assertTrue(read.pool.bytesOut() >= 100_000);
        }
    }

    @Test
    void a_few_bytes_of_a_message_do_not_keep_a_large_slab() {
        try (var read = ReadFrames.ofServer()) {
            read.arrive(masked(WsCodes.BINARY, new byte[10]));
            assertEquals(SlabPool.SMALL, read.pool.bytesOut());
        }
    }

    @Test
    void a_message_that_is_complete_is_not_kept() {
        try (var read = ReadFrames.ofServer()) {
            read.arrive(all(
                    masked(WsCodes.BINARY, new byte[50_000]), masked(FIN | WsCodes.CONTINUATION, new byte[50_000])));
            assertEquals(1, read.events.size());
            assertEquals(0, read.pool.bytesOut());
        }
    }

    // Control frames.

    @Test
    void a_flood_of_pings_ends_and_time_allows_more() {
        try (var read = ReadFrames.ofServer(WsLimits.standard().controlFrames(5))) {
            var ping = masked(FIN | WsCodes.PING, "");
            for (int i = 0; i < 5; i++) read.arrive(ping);
            read.pass(ONE_SECOND_NANOS);
            for (int i = 0; i < 5; i++) read.arrive(ping);
            assertEquals(Collections.nCopies(10, "ping "), read.events);
            read.arrive(ping);
            assertEquals("error 1008", read.events.getLast());
            assertEquals("more than 5 control or empty frames in a row", read.why());
        }
    }

    /// Of a message of any length, nothing else bounds them.
    @Test
    void a_flood_of_frames_without_content_ends() {
        try (var read = ReadFrames.ofServer(WsLimits.standard().controlFrames(5).ofAnyLength())) {
            read.arrive(masked(WsCodes.BINARY, new byte[1]));
            var empty = masked(WsCodes.CONTINUATION, new byte[0]);
            for (int i = 0; i < 5; i++) read.arrive(empty);
            assertFalse(read.isOver());
            read.arrive(empty);
            assertEquals("error 1008", read.events.getLast());
            assertEquals("more than 5 control or empty frames in a row", read.why());
        }
    }

    @Test
    void messages_allow_more_pings() {
        try (var read = ReadFrames.ofServer(WsLimits.standard().controlFrames(1))) {
            for (int i = 0; i < 10; i++)
                read.arrive(all(masked(FIN | WsCodes.PING, ""), masked(FIN | WsCodes.TEXT, "hi")));
            assertEquals(20, read.events.size());
            assertFalse(read.isOver());
        }
    }

    @Test
    void a_long_message_in_progress_allows_more_pings() {
        try (var read = ReadFrames.ofServer(WsLimits.standard().controlFrames(1))) {
            read.arrive(masked(WsCodes.BINARY, new byte[10]));
            for (int i = 0; i < 10; i++) {
                read.arrive(all(masked(FIN | WsCodes.PONG, ""), masked(WsCodes.CONTINUATION, new byte[1024])));
            }
            assertFalse(read.isOver());
        }
    }
}
