package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The frames of both sides, byte by byte.
class WsWriterTest {
    private final WsWriter server = WsWriter.ofServer(null);
    private final WsWriter client = WsWriter.ofClient(null, () -> 0x37fa213d);

    @Test
    void the_frames_of_the_rfc() {
        try (var written = new WrittenFrames()) {
            server.text(written.out, "Hello");
            assertEquals("810548656c6c6f", written.hex());
            client.text(written.out, "Hello");
            assertEquals("818537fa213d7f9f4d5158", written.hex());
            server.ping(written.out, Bytes.utf8("Hello"));
            assertEquals("890548656c6c6f", written.hex());
            client.pong(written.out, Bytes.utf8("Hello"));
            assertEquals("8a8537fa213d7f9f4d5158", written.hex());
        }
    }

    @Test
    void a_message_in_parts() {
        try (var written = new WrittenFrames()) {
            server.part(written.out, true, Bytes.utf8("Hel"), false);
            server.ping(written.out, Bytes.EMPTY);
            server.part(written.out, true, written.part("lo".getBytes(StandardCharsets.UTF_8)), true);
            assertEquals("010348656c" + "8900" + "80026c6f", written.hex());
            client.part(written.out, false, written.part(new byte[] {1, 2, 3, 4, 5}), false);
            client.part(written.out, false, Bytes.EMPTY, true);
            assertEquals("028537fa213d36f8223932" + "808037fa213d", written.hex());
        }
    }

    @Test
    void another_message_has_to_wait_for_the_last_part() {
        try (var written = new WrittenFrames()) {
            server.part(written.out, true, Bytes.utf8("Hel"), false);
            assertThrows(IllegalStateException.class, () -> server.text(written.out, "no"));
            assertThrows(IllegalStateException.class, () -> server.binary(written.out, Bytes.EMPTY));
            assertThrows(IllegalStateException.class, () -> server.shared(written.out, Bytes.of((byte) 0x81)));
            assertEquals("010348656c", written.hex());
            server.part(written.out, true, Bytes.EMPTY, true);
            server.text(written.out, "");
            assertEquals("8000" + "8100", written.hex());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 125, 126, 65535, 65536, 300_000})
    void every_way_to_write_a_length(int length) {
        var payload = new byte[length];
        for (int i = 0; i < length; i++) payload[i] = (byte) (i * 3);
        try (var written = new WrittenFrames()) {
            server.binary(written.out, Bytes.of(payload));
            assertArrayEquals(RawFrame.plain(0x82, payload), written.bytes());
            client.binary(written.out, Bytes.of(payload));
            assertArrayEquals(RawFrame.masked(0x82, payload), written.bytes());
        }
    }

    /// A value is shared: masks must not be applied to it.
    @Test
    void a_value_that_a_client_sends_stays_as_it_is() {
        var value = Bytes.of(new byte[100_000]);
        try (var written = new WrittenFrames()) {
            client.binary(written.out, value);
            client.part(written.out, false, value, true);
        }
        assertEquals(Bytes.of(new byte[100_000]), value);
    }

    @Test
    void a_large_value_of_a_server_is_referred_to() {
        try (var written = new WrittenFrames()) {
            server.binary(written.out, Bytes.of(new byte[1 << 20]));
            assertTrue(written.pool.bytesOut() <= 64 << 10, () -> "copied to " + written.pool.bytesOut());
        }
    }

    // Closing.

    @Test
    void a_close_with_a_code_a_reason_or_nothing() {
        try (var written = new WrittenFrames()) {
            server.close(written.out, WsCodes.NONE, "dropped");
            server.close(written.out, WsCodes.NORMAL, "");
            server.close(written.out, 4000, "bye");
            assertEquals("8800" + "880203e8" + "88050fa0627965", written.hex());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 999, 1004, 1006, 1015, 2999, 5000})
    void a_code_that_must_not_be_sent_is_not(int code) {
        try (var written = new WrittenFrames()) {
            assertThrows(IllegalArgumentException.class, () -> server.close(written.out, code, ""));
            assertEquals("", written.hex());
        }
    }

    @Test
    void a_long_reason_is_cut_between_characters() {
        for (var reason : List.of("ü".repeat(100), "x" + "ü".repeat(100), "😀".repeat(40), "x".repeat(124))) {
            try (var written = new WrittenFrames();
                    var read = ReadFrames.of(false, WsLimits.standard(), null)) {
                server.close(written.out, WsCodes.NORMAL, reason);
                read.arrive(written.bytes());
                var got = read.events.getFirst().substring("close 1000 ".length());
                assertTrue(reason.startsWith(got), got);
                int length = got.getBytes(StandardCharsets.UTF_8).length;
                assertTrue(length <= 123 && length > 119, () -> "cut to " + length);
            }
        }
    }

    @Test
    void a_ping_has_125_bytes_at_most() {
        try (var written = new WrittenFrames()) {
            assertThrows(IllegalArgumentException.class, () -> server.ping(written.out, Bytes.of(new byte[126])));
            server.ping(written.out, Bytes.of(new byte[125]));
            assertEquals(127, written.bytes().length);
        }
    }

    // Frames for many.

    @Test
    void a_shared_frame_is_what_a_server_would_write() {
        var limits = WsLimits.standard();
        for (int length : new int[] {0, 5, 125, 126, 2000, 70_000}) {
            var text = Bytes.utf8("ab".repeat(length / 2));
            var packing = WsWriter.ofServer(MessageDeflater.ofShared(limits));
            try (var written = new WrittenFrames()) {
                server.shared(written.out, WsWriter.encode(true, text, null));
                var shared = written.bytes();
                server.text(written.out, text.utf8());
                assertArrayEquals(written.bytes(), shared);
                packing.shared(written.out, WsWriter.encode(true, text, MessageDeflater.ofShared(limits)));
                var packed = written.bytes();
                packing.text(written.out, text.utf8());
                assertArrayEquals(written.bytes(), packed);
                assertEquals(length >= limits.leastPackedBytes(), packed.length < shared.length);
            }
        }
    }
}
