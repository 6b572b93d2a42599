package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.RSV1;
import static io.millrace.http.ws.RawFrame.all;
import static io.millrace.http.ws.RawFrame.hex;
import static io.millrace.http.ws.RawFrame.masked;
import static io.millrace.http.ws.RawFrame.plain;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.fuzz.Cuts;
import io.millrace.http.grammar.HttpGuards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What RFC 6455 has an endpoint fail the connection for: refused wherever the bytes are cut, and as soon as the byte
/// that is wrong is there.
class WsViolationsTest {
    /// @param seenAfter bytes that are enough to know
    record Violation(String what, int code, boolean ofClient, int seenAfter, Bytes bytes) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static Violation ofClient(String what, int code, int seenAfter, byte[]... bytes) {
        return new Violation(what, code, true, seenAfter, Bytes.of(all(bytes)));
    }

    private static Violation ofServer(String what, int code, int seenAfter, byte[]... bytes) {
        return new Violation(what, code, false, seenAfter, Bytes.of(all(bytes)));
    }

    static Stream<Violation> violations() {
        var all = new ArrayList<>(List.of(
                ofClient("no mask", 1002, 2, plain(FIN | 1, new byte[3])),
                ofClient("no mask of a ping", 1002, 2, plain(FIN | 9, new byte[0])),
                ofServer("a mask of a server", 1002, 2, masked(FIN | 1, "hi")),
                ofClient("RSV1 without compression", 1002, 1, masked(FIN | RSV1 | 1, "hi")),
                ofClient("RSV2", 1002, 1, masked(FIN | 0x20 | 1, "hi")),
                ofClient("RSV3", 1002, 1, masked(FIN | 0x10 | 2, "hi")),
                ofClient("RSV3 of a ping", 1002, 1, masked(FIN | 0x10 | 9, "hi")),
                ofClient("RSV2 of a continuation", 1002, 8, masked(1, "a"), masked(FIN | 0x20, "b")),
                ofClient("a close in fragments", 1002, 1, masked(8, "")),
                ofClient("a ping in fragments", 1002, 1, masked(9, "a"), masked(FIN, "b")),
                ofClient("a pong in fragments", 1002, 1, masked(10, "a")),
                ofClient("a ping of 126 bytes", 1002, 2, masked(FIN | 9, new byte[126])),
                ofClient("a close of 65536 bytes", 1002, 2, masked(FIN | 8, new byte[65536])),
                ofClient("a pong of 200 bytes", 1002, 2, masked(FIN | 10, new byte[200])),
                ofClient("a continuation of nothing", 1002, 1, masked(FIN, "a")),
                ofClient("a continuation of nothing that goes on", 1002, 1, masked(0, "a")),
                ofClient("a continuation of a whole message", 1002, 8, masked(FIN | 1, "a"), masked(FIN, "b")),
                ofClient("a text within a text", 1002, 8, masked(1, "a"), masked(FIN | 1, "b")),
                ofClient("bytes within a text", 1002, 8, masked(1, "a"), masked(2, "b")),
                ofClient("7 in two bytes", 1002, 4, hex("82 fe 0007 00000000")),
                ofClient("125 in two bytes", 1002, 4, hex("82 fe 007d 00000000")),
                ofClient("125 in eight bytes", 1002, 10, hex("82 ff 000000000000007d 00000000")),
                ofClient("65535 in eight bytes", 1002, 10, hex("82 ff 000000000000ffff 00000000")),
                ofServer("0 in two bytes", 1002, 4, hex("82 7e 0000")),
                ofClient("2^63", 1002, 10, hex("82 ff 8000000000000000 00000000")),
                ofClient("2^64 - 1", 1002, 10, hex("82 ff ffffffffffffffff 00000000")),
                ofClient("2^63 - 1", 1009, 10, hex("82 ff 7fffffffffffffff 00000000")),
                ofClient("2^32", 1009, 10, hex("82 ff 0000000100000000 00000000")),
                ofClient("a MiB and a byte", 1009, 10, hex("82 ff 0000000000100001 00000000")),
                ofClient("2^63 - 1 more", 1009, 17, masked(1, "a"), hex("80 ff 7fffffffffffffff 00000000")),
                ofClient("half a code", 1002, 2, masked(FIN | 8, "a")),
                ofClient("an invalid byte", 1007, 7, masked(FIN | 1, hex("ff 61 62"))),
                ofClient("an overlong slash", 1007, 7, masked(FIN | 1, hex("c0 af"))),
                ofClient("an overlong slash in three bytes", 1007, 8, masked(FIN | 1, hex("e0 80 af"))),
                ofClient("a surrogate", 1007, 8, masked(FIN | 1, hex("ed a0 80 61"))),
                ofClient("more than U+10FFFF", 1007, 8, masked(FIN | 1, hex("f4 90 80 80"))),
                ofClient("f5", 1007, 9, masked(FIN | 1, hex("61 62 f5 61 62"))),
                ofClient(
                        "a continuation byte alone", 1007, 21, masked(FIN | 1, "12345678"), masked(FIN | 1, hex("80"))),
                ofClient("a text that ends within a character", 1007, 8, masked(FIN | 1, hex("61 c3"))),
                ofClient(
                        "a character that is wrong in the next fragment",
                        1007,
                        15,
                        masked(1, hex("e2 82")),
                        masked(0, hex("28 61"))),
                ofClient(
                        "a text that ends within a character, in an empty fragment",
                        1007,
                        14,
                        masked(1, hex("e2 82")),
                        masked(FIN, "")),
                ofClient("a reason that is not UTF-8", 1007, 10, masked(FIN | 8, hex("03e8 ff61"))),
                ofClient("a reason that is cut", 1007, 9, masked(FIN | 8, hex("03e8 c3")))));
        for (int kind : new int[] {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
            all.add(ofClient("the kind " + kind, 1002, 1, masked(FIN | kind, "a")));
        for (int code : new int[] {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
            all.add(ofClient("the code " + code, 1002, 8, masked(FIN | 8, new byte[] {(byte) (code >> 8), (byte) code
            })));
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("violations")
    void is_refused_wherever_it_is_cut(Violation violation) {
        var bytes = violation.bytes.toArray();
        for (var cuts : Cuts.of(bytes)) {
            try (var read = reader(violation)) {
                read.arrive(bytes, cuts);
                assertEquals("error " + violation.code, read.events.getLast(), () -> Arrays.toString(cuts));
            }
        }
    }

    /// Also if the peer sends nothing more.
    @ParameterizedTest
    @MethodSource("violations")
    void is_refused_as_soon_as_it_can_be_seen(Violation violation) {
        try (var read = reader(violation)) {
            for (int at = 0; at < violation.seenAfter; at++) {
                assertFalse(read.isOver(), "after " + at + " bytes");
                read.arrive(new byte[] {violation.bytes.at(at)});
            }
            assertTrue(read.isOver(), read.events::toString);
        }
    }

    private static ReadFrames reader(Violation violation) {
        return ReadFrames.of(violation.ofClient, WsLimits.standard(), null);
    }

    @Test
    void codes_that_may_be_sent_are_taken() {
        var codes =
                IntStream.of(1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000);
        codes.forEach(code -> assertEquals(List.of("close " + code), ReadFrames.byServer(masked(FIN | 8, new byte[] {
            (byte) (code >> 8), (byte) code
        }))));
    }

    // Limits.

    @Test
    void a_message_may_have_as_many_bytes_as_the_limit_over_all_its_fragments() {
        var limits = WsLimits.standard().messageBytes(10);
        var whole = all(masked(2, new byte[4]), masked(0, new byte[6]), masked(FIN, new byte[0]));
        var more = all(masked(2, new byte[4]), masked(0, new byte[6]), masked(FIN, new byte[1]));
        try (var read = ReadFrames.ofServer(limits)) {
            read.arrive(whole);
            read.arrive(whole);
            assertEquals(List.of("bytes " + "00".repeat(10), "bytes " + "00".repeat(10)), read.events);
            read.arrive(more);
            assertEquals("error 1009", read.events.getLast());
            assertEquals("a message of more than 10 bytes", read.why());
        }
    }

    @Test
    void a_message_has_1024_fragments_at_most() {
        try (var read = ReadFrames.ofServer()) {
            read.arrive(masked(2, "a"));
            for (int i = 1; i < 1023; i++) read.arrive(masked(0, ""));
            read.arrive(masked(FIN, "b"));
            assertEquals(List.of("bytes 6162"), read.events);
            read.arrive(masked(2, "a"));
            for (int i = 1; i < 1024; i++) read.arrive(masked(0, ""));
            assertFalse(read.isOver());
            read.arrive(masked(0, ""));
            assertEquals("error 1008", read.events.getLast());
            assertEquals("a message in more than 1024 fragments", read.why());
        }
    }

    @Test
    void an_error_names_the_limit_that_was_exceeded() {
        assertEquals(HttpGuards.WS_MESSAGE, WsLimits.standard().tooLong().guard());
        assertNull(WsError.protocol("as told").guard());
    }

    @Test
    void an_error_has_no_stack_because_peers_cause_it() {
        assertEquals(0, WsError.protocol("as told").getStackTrace().length);
    }
}
