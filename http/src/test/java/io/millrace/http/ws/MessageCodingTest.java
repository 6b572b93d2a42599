package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.RSV1;
import static io.millrace.http.ws.RawFrame.all;
import static io.millrace.http.ws.RawFrame.hex;
import static io.millrace.http.ws.RawFrame.masked;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.fuzz.Cuts;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Packed messages (RFC 7692 section 7.2), and what is held for them.
class MessageCodingTest {
    private static final String HELLO = "f248cdc9c90700";

    private static SocketAddress peer() {
        return new InetSocketAddress("192.0.2.1", 7);
    }

    private static List<String> read(WsLimits limits, byte[]... frames) {
        try (var read = ReadFrames.of(true, limits, new MessageInflater(false))) {
            read.arrive(all(frames));
            return List.copyOf(read.events);
        }
    }

    private static List<String> read(byte[]... frames) {
        return read(WsLimits.standard(), frames);
    }

    private static byte[] packed(String digits) {
        return masked(FIN | RSV1 | WsCodes.TEXT, hex(digits));
    }

    private static byte[] deflated(byte[] plain) {
        return new MessageDeflater(false, 0).deflate(plain).orElseThrow();
    }

    // The examples of section 7.2.3.

    @Test
    void a_packed_text_wherever_it_is_cut() {
        var frames = all(masked(RSV1 | WsCodes.TEXT, hex("f248cd")), masked(FIN, hex("c9c90700")), packed(HELLO));
        for (var cuts : Cuts.of(frames)) {
            try (var read = ReadFrames.of(true, WsLimits.standard(), new MessageInflater(false))) {
                read.arrive(frames, cuts);
                assertEquals(List.of("text Hello", "text Hello"), read.events);
            }
        }
    }

    @Test
    void a_message_that_refers_to_the_one_before() {
        var inflater = new MessageInflater(true);
        try (var read = ReadFrames.of(true, WsLimits.standard(), inflater)) {
            read.arrive(all(packed(HELLO), packed("f200110000"), packed("f200110000")));
            assertEquals(List.of("text Hello", "text Hello", "text Hello"), read.events);
        } finally {
            inflater.release();
        }
        assertEquals(List.of("text Hello", "error 1007"), read(packed(HELLO), packed("f200110000")));
    }

    @Test
    void blocks_of_every_kind() {
        assertEquals(List.of("text Hello"), read(packed("00 0500faff 48656c6c6f 00")), "stored");
        assertEquals(List.of("text Hello"), read(packed("f348cdc9c9070000")), "a last block, and an empty one");
        assertEquals(List.of("text Hello"), read(packed("f248050000 00ffff cac9c90700")), "two blocks");
        assertEquals(List.of("text "), read(packed("00")), "nothing");
    }

    @Test
    void what_other_senders_make_of_an_empty_message_and_of_its_end() {
        assertEquals(List.of("text ", "text Hello"), read(packed(""), packed(HELLO)));
        assertEquals(List.of("text Hello", "text Hello"), read(packed("f348cdc9c90700"), packed(HELLO)));
    }

    @Test
    void a_message_may_be_plain_though_packed_ones_are_agreed_on() {
        assertEquals(List.of("text hi", "text Hello"), read(masked(FIN | WsCodes.TEXT, "hi"), packed(HELLO)));
    }

    // What is refused.

    @Test
    void only_the_first_frame_of_a_message_says_that_it_is_packed() {
        assertEquals(List.of("error 1002"), read(masked(RSV1 | WsCodes.TEXT, "a"), masked(FIN | RSV1, "b")));
        assertEquals(List.of("error 1002"), read(masked(FIN | RSV1 | WsCodes.PING, "a")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ff", "f248cdc9c907", "f248cd", "00 0500faff 4865", "06", "0500", "f248cdc9c90700 01"})
    void data_that_is_malformed_or_cut(String digits) {
        assertEquals(List.of("error 1007"), read(packed(digits)));
    }

    @Test
    void a_text_that_is_not_utf8_when_it_is_unpacked() {
        for (var digits : List.of("ff".repeat(50), "61".repeat(50) + "c3", "61".repeat(50) + "eda080")) {
            assertEquals(List.of("error 1007"), read(masked(FIN | RSV1 | WsCodes.TEXT, deflated(hex(digits)))));
        }
    }

    @Test
    void a_message_that_unpacks_to_more_than_the_limit() {
        var limits = WsLimits.standard().messageBytes(1000);
        assertEquals(
                1,
                read(limits, masked(FIN | RSV1 | WsCodes.BINARY, deflated(new byte[1000])))
                        .size());
        assertEquals(
                List.of("error 1009"), read(limits, masked(FIN | RSV1 | WsCodes.BINARY, deflated(new byte[1001]))));
    }

    @Test
    void a_packed_message_that_is_longer_than_the_limit_as_it_is_sent() {
        var limits = WsLimits.standard().messageBytes(10);
        assertEquals(List.of("error 1009"), read(limits, masked(RSV1 | WsCodes.BINARY, new byte[11])));
    }

    @Test
    void a_bomb() {
        var bomb = masked(FIN | RSV1 | WsCodes.BINARY, deflated(new byte[20 << 20]));
        assertEquals(List.of("error 1009"), read(bomb));
        var roomy = WsLimits.standard().messageBytes(100 << 20);
        try (var read = ReadFrames.of(true, roomy, new MessageInflater(false))) {
            read.arrive(bomb);
            assertEquals(List.of("error 1009"), read.events);
            assertTrue(read.why().endsWith("more than 200 times as many"), read.why());
        }
    }

    @Test
    void data_that_begins_anew_too_often() {
        assertEquals(List.of("bytes "), read(masked(FIN | RSV1 | WsCodes.BINARY, hex("0300".repeat(16) + "00"))));
        assertEquals(List.of("error 1007"), read(masked(FIN | RSV1 | WsCodes.BINARY, hex("0300".repeat(18) + "00"))));
    }

    // Sending.

    @Test
    void a_short_message_and_one_that_does_not_get_smaller_are_sent_as_they_are() {
        var noise = new byte[5000];
        new Random(1).nextBytes(noise);
        var deflater = new MessageDeflater(false, 100);
        assertFalse(deflater.deflate(noise).isPresent());
        assertFalse(deflater.deflate(new byte[99]).isPresent());
        assertTrue(deflater.deflate(new byte[100]).isPresent());
        assertEquals(0, MessageDeflater.EACH_MESSAGE.inUse());
    }

    @Test
    void every_message_without_a_window_is_packed_alike() {
        var text = "The same, and the same again. ".repeat(100).getBytes(StandardCharsets.UTF_8);
        assertArrayEquals(deflated(text), deflated(text));
        assertFalse(Arrays.equals(
                new byte[] {0, 0, -1, -1},
                Arrays.copyOfRange(deflated(text), deflated(text).length - 4, deflated(text).length)));
    }

    @Test
    void a_window_makes_similar_messages_small_and_noise_is_packed_too() {
        var deflater = new MessageDeflater(true, 10);
        var inflater = new MessageInflater(true);
        var noise = new byte[50_000];
        new Random(1).nextBytes(noise);
        var text = "{\"symbol\":\"ABC\",\"price\":12.5}".getBytes(StandardCharsets.UTF_8);
        try (var read = ReadFrames.of(true, WsLimits.standard(), inflater)) {
            int first = send(read, deflater, text);
            send(read, deflater, text);
            int third = send(read, deflater, text);
            assertTrue(third < first / 2, first + " and " + third);
            send(read, deflater, noise);
            send(read, deflater, noise);
            assertEquals(5, read.events.size(), read::why);
            assertFalse(read.isOver());
        } finally {
            inflater.release();
            deflater.release();
        }
    }

    private static int send(ReadFrames to, MessageDeflater deflater, byte[] plain) {
        var packed = deflater.deflate(plain).orElseThrow();
        to.arrive(masked(FIN | RSV1 | WsCodes.BINARY, packed));
        return packed.length;
    }

    // What is held.

    @Test
    void nothing_is_held_between_the_fragments_of_a_packed_message() {
        try (var read = ReadFrames.of(true, WsLimits.standard(), new MessageInflater(false))) {
            read.arrive(masked(RSV1 | WsCodes.TEXT, hex("f248cd")));
            assertEquals(0, MessageInflater.EACH_MESSAGE.inUse());
        }
    }

    @Test
    void so_many_connections_keep_windows_as_may_and_others_agree_on_none() throws Refusal {
        var windows = new DeflateWindows(1);
        var limits = WsLimits.standard();
        var offer = List.of("permessage-deflate");
        long acted = HttpGuards.WS_WINDOWS.count();
        var first = MessageCoding.accept(offer, windows, limits, MessageCodingTest::peer)
                .orElseThrow();
        assertEquals("permessage-deflate", first.text());
        assertEquals(1, windows.inUse());
        var second = MessageCoding.accept(offer, windows, limits, MessageCodingTest::peer)
                .orElseThrow();
        assertEquals("permessage-deflate; server_no_context_takeover; client_no_context_takeover", second.text());
        assertEquals(acted + 1, HttpGuards.WS_WINDOWS.count());
        second.release();
        first.release();
        first.release();
        assertEquals(0, windows.inUse());
        var third = MessageCoding.offer(windows, limits, MessageCodingTest::peer);
        assertEquals("permessage-deflate", third.text());
        third.release();
        assertEquals(0, windows.inUse());
    }

    @Test
    void a_window_goes_back_if_the_handshake_does_not_need_it() throws Refusal {
        var windows = new DeflateWindows(1);
        var limits = WsLimits.standard();
        var forgets = List.of("permessage-deflate; server_no_context_takeover; client_no_context_takeover");
        assertTrue(MessageCoding.accept(forgets, windows, limits, MessageCodingTest::peer)
                .isPresent());
        assertEquals(0, windows.inUse());
        assertTrue(MessageCoding.accept(List.of("x"), windows, limits, MessageCodingTest::peer)
                .isEmpty());
        assertEquals(0, windows.inUse());
        assertThrows(Refusal.class, () -> MessageCoding.accept(List.of(";"), windows, limits, MessageCodingTest::peer));
        assertEquals(0, windows.inUse());
        assertFalse(
                MessageCoding.offer(windows, limits, MessageCodingTest::peer).accepted(List.of()));
        assertEquals(0, windows.inUse());
        var refused = MessageCoding.offer(windows, limits, MessageCodingTest::peer);
        assertThrows(Refusal.class, () -> refused.accepted(List.of("x")));
        assertEquals(0, windows.inUse());
        assertTrue(MessageCoding.offer(windows, limits, MessageCodingTest::peer).accepted(forgets));
        assertEquals(0, windows.inUse());
    }

    @Test
    void both_ends_understand_each_other_after_their_handshake() throws Refusal {
        for (int windows = 0; windows <= 2; windows++) {
            var shared = new DeflateWindows(windows);
            var limits = WsLimits.standard().leastPackedBytes(10);
            var client = MessageCoding.offer(shared, limits, MessageCodingTest::peer);
            var server = MessageCoding.accept(List.of(client.text()), shared, limits, MessageCodingTest::peer)
                    .orElseThrow();
            assertTrue(client.accepted(List.of(server.text())));
            try (var written = new WrittenFrames();
                    var read = ReadFrames.of(true, limits, server.inflater())) {
                var writer = WsWriter.ofClient(client.deflater(), new MaskSource());
                for (int i = 0; i < 3; i++) writer.text(written.out, "the same text, ".repeat(20));
                int length = (int) written.out.size();
                assertTrue(length < 300, () -> "not packed: " + length);
                read.arrive(written.bytes());
                assertEquals(java.util.Collections.nCopies(3, "text " + "the same text, ".repeat(20)), read.events);
            } finally {
                client.release();
                server.release();
            }
            assertEquals(0, shared.inUse());
        }
    }
}
