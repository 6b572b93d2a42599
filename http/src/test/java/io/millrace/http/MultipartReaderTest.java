package io.millrace.http;

import static io.millrace.http.MultipartBodies.encoded;
import static io.millrace.http.MultipartBodies.everyByte;
import static io.millrace.http.MultipartBodies.field;
import static io.millrace.http.MultipartBodies.file;
import static io.millrace.http.MultipartBodies.lines;
import static io.millrace.http.MultipartBodies.offer;
import static io.millrace.http.MultipartBodies.randomCuts;
import static io.millrace.http.MultipartBodies.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.MultipartBodies.Notes;
import io.millrace.memory.LoopInput;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Bodies that arrive bit by bit.
class MultipartReaderTest {
    private static final Multipart.Limits STANDARD = Multipart.Limits.standard();
    private static final List<Part> PARTS = List.of(
            field("a", "1\r\n--b-\r\n"),
            file("f", "x.bin", new byte[] {13, 13, 10, 45, 45, 98, 13, 10, 45, 45}),
            file("empty", "", new byte[0]),
            field("b", "ü"));
    private static final byte[] BODY = encoded(PARTS);

    private static BodyReader reader(Multipart.Limits limits, PartReader parts) {
        return Multipart.reader(request(new byte[0]), limits, parts);
    }

    /// What comes of a body: its parts, or the status that it is refused with.
    private static Object outcome(byte[] body, Multipart.Limits limits, int... cuts) throws Exception {
        var notes = new Notes();
        try {
            offer(reader(limits, notes), body, cuts);
            assertEquals("end", notes.calls.getLast());
            return notes.parts;
        } catch (HttpError e) {
            assertEquals("abort", notes.calls.getLast());
            assertEquals(1, notes.calls.stream().filter("abort"::equals).count());
            return e.status();
        }
    }

    private static int refused(byte[] body, Multipart.Limits limits) throws Exception {
        var outcome = outcome(body, limits);
        assertEquals(outcome, outcome(body, limits, everyByte(body)));
        return (int) outcome;
    }

    // Cuts.

    @Test
    void a_body_may_be_cut_at_any_byte() throws Exception {
        for (int cut = 0; cut <= BODY.length; cut++) assertEquals(PARTS, outcome(BODY, STANDARD, cut), "cut at " + cut);
    }

    @Test
    void a_body_may_be_cut_at_any_two_bytes() throws Exception {
        var parts = List.of(file("f", "", new byte[] {13, 13, 10, 45, 45, 98, 45}), field("a", ""));
        var body = encoded(parts);
        for (int first = 0; first <= body.length; first++) {
            for (int second = first; second <= body.length; second++) {
                assertEquals(parts, outcome(body, STANDARD, first, second), first + " and " + second);
            }
        }
    }

    @Test
    void a_body_may_come_byte_by_byte() throws Exception {
        assertEquals(PARTS, outcome(BODY, STANDARD, everyByte(BODY)));
    }

    @Test
    void any_parts_come_through_any_cuts() throws Exception {
        var random = new Random(50);
        for (int i = 0; i < 3000; i++) {
            var parts = MultipartBodies.random(random);
            var body = encoded(parts);

            assertEquals(parts, outcome(body, STANDARD, randomCuts(random, body.length)));
        }
    }

    @Test
    void a_damaged_body_has_one_outcome_wherever_it_is_cut() throws Exception {
        var limits = STANDARD.parts(3).headBytes(120).fields(3).valueBytes(20);
        var random = new Random(51);
        int refused = 0;
        for (int i = 0; i < 5000; i++) {
            var body = damaged(random, encoded(MultipartBodies.random(random)));
            var whole = outcome(body, limits);
            if (whole instanceof Integer) refused++;

            assertEquals(whole, outcome(body, limits, randomCuts(random, body.length)));
            assertEquals(whole, outcome(body, limits, everyByte(body)));
            assertEquals(whole, outcomeOfWhole(body, limits));
        }
        assertTrue(refused > 1000 && refused < 5000, "too few of one kind: " + refused);
    }

    private static Object outcomeOfWhole(byte[] body, Multipart.Limits limits) {
        try {
            return Multipart.of(request(body), limits).parts();
        } catch (HttpError e) {
            return e.status();
        }
    }

    private static byte[] damaged(Random random, byte[] body) {
        for (int count = random.nextInt(3); count > 0; count--) {
            int at = random.nextInt(body.length);
            switch (random.nextInt(3)) {
                case 0 -> body[at] = (byte) "\r\n-b :;\"\0".charAt(random.nextInt(9));
                case 1 -> body = joined(Arrays.copyOf(body, at), Arrays.copyOfRange(body, at + 1, body.length));
                default -> body = joined(Arrays.copyOf(body, at), Arrays.copyOfRange(body, at / 2, body.length));
            }
            if (body.length == 0) return body;
        }
        return body;
    }

    private static byte[] joined(byte[] one, byte[] two) {
        var both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }

    // Calls.

    @Test
    void parts_are_handed_on_one_after_the_other() throws Exception {
        var notes = new Notes();

        assertEquals(204, offer(reader(STANDARD, notes), BODY).status());

        var expected = List.of("field a", "file f", "end of file", "file empty", "end of file", "field b", "end");
        assertEquals(expected, notes.calls);
    }

    @Test
    void content_is_handed_on_before_its_part_is_complete() throws Exception {
        var seen = new AtomicLong();
        var reader = reader(STANDARD, counting(seen));
        reader.onBody(LoopInput.of(Bytes.of(lines("--b-b|Content-Disposition: form-data; name=f; filename=x||12345"))));

        assertEquals(5, seen.get());
    }

    @Test
    void a_gigabyte_leaves_nothing_behind() throws Exception {
        var seen = new AtomicLong();
        var reader = reader(STANDARD.totalBytes(2L << 30), counting(seen));
        reader.onBody(LoopInput.of(Bytes.of(lines("--b-b|Content-Disposition: form-data; name=f; filename=x||"))));
        var piece = Bytes.of(new byte[1 << 20]);
        for (int i = 0; i < 1024; i++) {
            var input = LoopInput.of(piece);
            reader.onBody(input);
            assertEquals(0, input.remaining());
            assertEquals((i + 1L) << 20, seen.get());
        }
        reader.onBody(LoopInput.of(Bytes.of(lines("|--b-b--|"))));

        assertEquals(204, reader.onEnd().status());
        assertEquals(1L << 30, seen.get());
    }

    private static PartReader counting(AtomicLong seen) {
        return new PartReader() {
            @Override
            public void onFile(PartHead head) {}

            @Override
            public void onData(Input data) {
                seen.addAndGet(data.remaining());
                data.skip(data.remaining());
            }

            @Override
            public Response onEnd() {
                return Response.status(204);
            }
        };
    }

    @Test
    void content_that_is_not_read_is_dropped() throws Exception {
        var ended = new AtomicLong();
        var lazy = new PartReader() {
            @Override
            public void onFile(PartHead head) {}

            @Override
            public void onData(Input data) {
                if (data.remaining() > 1) data.skip(1);
            }

            @Override
            public void onFileEnd() {
                ended.incrementAndGet();
            }

            @Override
            public Response onEnd() {
                return Response.status(204);
            }
        };

        offer(reader(STANDARD, lazy), BODY, 30, 60, 90, 120, 150, 180, 210);

        assertEquals(2, ended.get());
    }

    @Test
    void only_the_content_is_lent() throws Exception {
        var notes = new Notes() {
            @Override
            public void onData(Input data) {
                assertThrows(io.millrace.bytes.Underflow.class, () -> data.skip(data.remaining() + 1));
                super.onData(data);
            }
        };

        offer(reader(STANDARD, notes), BODY);

        assertEquals(PARTS, notes.parts);
    }

    // Aborts.

    @Test
    void a_connection_that_dies_aborts_once() throws Exception {
        var notes = new Notes();
        var reader = reader(STANDARD, notes);
        reader.onBody(LoopInput.of(Bytes.of(lines("--b-b|Content-Disposition: form-data; name=f; filename=x||12345"))));
        reader.onAbort();
        reader.onAbort();

        assertEquals(List.of("file f", "abort"), notes.calls);
    }

    @Test
    void a_body_without_its_end_is_refused_with_400_and_aborts() throws Exception {
        for (int length = 0; length < BODY.length - 2; length++) {
            assertEquals(400, outcome(Arrays.copyOf(BODY, length), STANDARD), "" + length);
        }
    }

    @Test
    void what_a_part_reader_throws_aborts_too() {
        var notes = new Notes() {
            @Override
            public void onFile(PartHead head) {
                throw new IllegalStateException("disk full");
            }
        };

        assertThrows(IllegalStateException.class, () -> offer(reader(STANDARD, notes), BODY));

        assertEquals(List.of("field a", "abort"), notes.calls);
    }

    @Test
    void nothing_is_aborted_behind_the_end() throws Exception {
        var notes = new Notes();
        var reader = reader(STANDARD, notes);
        offer(reader, BODY);
        reader.onAbort();

        assertEquals("end", notes.calls.getLast());
    }

    // Limits, the same whole and byte by byte.

    @Test
    void more_parts_than_the_limit_are_refused_with_413() throws Exception {
        assertEquals(413, refused(BODY, STANDARD.parts(3)));
    }

    @Test
    void a_head_longer_than_the_limit_is_refused_with_413() throws Exception {
        assertEquals(413, refused(BODY, STANDARD.headBytes(64)));
    }

    @Test
    void more_fields_of_a_part_than_the_limit_are_refused_with_413() throws Exception {
        assertEquals(413, refused(BODY, STANDARD.fields(1)));
    }

    @Test
    void a_field_longer_than_the_limit_is_refused_with_413() throws Exception {
        assertEquals(413, refused(BODY, STANDARD.valueBytes(8)));
        assertEquals(PARTS, outcome(BODY, STANDARD.valueBytes(9)));
    }

    @Test
    void a_body_longer_than_the_limit_is_refused_with_413() throws Exception {
        assertEquals(413, refused(BODY, STANDARD.totalBytes(BODY.length - 1)));
        assertEquals(PARTS, outcome(BODY, STANDARD.totalBytes(BODY.length)));
    }

    @Test
    void a_body_that_says_it_is_longer_is_refused_before_it_comes() {
        var head = request(new byte[0]).addHeader("Content-Length", "1001");
        var limits = STANDARD.totalBytes(1000);

        var e = assertThrows(HttpError.class, () -> Multipart.reader(head, limits, new Notes()));

        assertEquals(413, e.status());
    }

    @Test
    void a_head_that_is_no_multipart_is_refused_before_the_body_comes() {
        var plain = Request.post("/", Bytes.EMPTY).addHeader("Content-Type", "text/plain");

        assertEquals(
                415,
                assertThrows(HttpError.class, () -> Multipart.reader(plain, new Notes()))
                        .status());
    }
}
