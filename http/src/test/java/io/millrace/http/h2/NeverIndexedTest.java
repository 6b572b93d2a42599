package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.message.HopByHop;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A field that its sender has marked as a secret keeps the mark when it is passed on (RFC 7541 section 7.1.3).
class NeverIndexedTest {
    private final FieldCollector fields = new FieldCollector(HttpLimits.standard());

    /// The fields of a block, some of which are marked.
    private ReceivedFields received(Marked... all) throws HpackError {
        var block = new HpackBlock();
        for (var field : all) {
            block.integer(field.isMarked ? HpackDecoder.NEVER : 0, HpackDecoder.LITERAL_BITS, 0);
            block.name(field.name);
            block.text(field.value);
        }
        fields.begin();
        new HpackDecoder(4096).decode(block.bytes, 0, block.length, new HpackScratch(), fields);
        return fields.take();
    }

    private record Marked(String name, String value, boolean isMarked) {}

    /// Which of the fields are marked when they are sent and received again.
    private List<Boolean> again(Headers from) throws HpackError {
        var block = new HpackBlock();
        var encoder = new HpackEncoder();
        encoder.begin(block);
        for (int i = 0; i < from.size(); i++) encoder.field(from, i, block);
        fields.begin();
        new HpackDecoder(4096).decode(block.bytes, 0, block.length, new HpackScratch(), fields);
        var there = fields.take();
        assertEquals(from.size(), there.size());
        var marks = new Boolean[there.size()];
        for (int i = 0; i < marks.length; i++) {
            assertEquals(from.value(i), there.value(i));
            marks[i] = there.isNeverIndexed(i);
        }
        return Arrays.asList(marks);
    }

    @Test
    void the_mark_stays_from_one_connection_to_the_next() throws HpackError {
        var received = received(
                new Marked("x-ticket", "s3cret", true),
                new Marked("x-open", "yes", false),
                new Marked("accept", "text/secret", true));
        assertEquals(List.of(true, false, true), again(received));
        assertEquals(List.of(true, false, true), again(HopByHop.endToEnd(received)));
    }

    @Test
    void it_stays_when_other_fields_are_added_and_left_out() throws HpackError {
        var received = received(
                new Marked("te", "trailers", false),
                new Marked("x-open", "yes", false),
                new Marked("x-ticket", "s3cret", true));
        var passed = HopByHop.endToEnd(received, "Via", "1.1 millrace");
        assertEquals(List.of(false, true, false), again(passed));
        assertEquals(List.of(true, false, false), again(passed.without("X-Open").with("X-More", "1")));
    }

    @Test
    void it_stays_in_trailers() throws HpackError {
        var received = received(
                new Marked("x-first", "1", false),
                new Marked("x-ticket", "s3cret", true),
                new Marked("x-first", "2", false),
                new Marked("connection", "close", false));
        var passed = HopByHop.trailers(received, Headers.EMPTY, List.of("x-first"));
        assertEquals(List.of(true), again(passed));
        assertFalse(passed.has("x-first"));
        assertTrue(passed.has("x-ticket"));
    }
}
