package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.all;
import static io.millrace.http.ws.RawFrame.masked;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.fuzz.Cuts;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.ws.WsViolations.Violation;
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
    static Stream<Violation> violations() {
        return Stream.concat(WsViolations.ofClients().stream(), WsViolations.ofServers().stream());
    }

    @ParameterizedTest
    @MethodSource("violations")
    void is_refused_wherever_it_is_cut(Violation violation) {
        var bytes = violation.bytes().toArray();
        for (var cuts : Cuts.of(bytes)) {
            try (var read = reader(violation)) {
                read.arrive(bytes, cuts);
                assertEquals("error " + violation.code(), read.events.getLast(), () -> Arrays.toString(cuts));
            }
        }
    }

    /// Also if the peer sends nothing more.
    @ParameterizedTest
    @MethodSource("violations")
    void is_refused_as_soon_as_it_can_be_seen(Violation violation) {
        try (var read = reader(violation)) {
            for (int at = 0; at < violation.seenAfter(); at++) {
                assertFalse(read.isOver(), "after " + at + " bytes");
                read.arrive(new byte[] {violation.bytes().at(at)});
            }
            assertTrue(read.isOver(), read.events::toString);
        }
    }

    private static ReadFrames reader(Violation violation) {
        var inflater = violation.isPacked() ? new MessageInflater(false) : null;
        return ReadFrames.of(violation.ofClient(), WsLimits.standard(), inflater);
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
