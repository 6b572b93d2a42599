package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.AllocatedBytes;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HpackEncoderTest {
    private final HpackEncoder encoder = new HpackEncoder();
    private final HpackPeer peer = new HpackPeer(4096);

    /// Encodes a block.
    ///
    /// @param fields names and values in turn
    private byte[] encode(String... fields) {
        var out = new HpackBlock();
        encoder.begin(out);
        for (int i = 0; i < fields.length; i += 2) encoder.field(fields[i], fields[i + 1], out);
        return Arrays.copyOf(out.bytes, out.length);
    }

    private String hex(String... fields) {
        return HexFormat.of().formatHex(encode(fields));
    }

    private List<String> decoded(String... fields) throws HpackError {
        return peer.decode(encode(fields));
    }

    // The RFC's examples.

    @Test
    void c1_integers() {
        assertEquals("0a", integer(5, 10));
        assertEquals("1f9a0a", integer(5, 1337));
        assertEquals("2a", integer(8, 42));
        assertEquals("1f00", integer(5, 31));
        assertEquals("0f8001", integer(4, 15 + 128));
    }

    private static String integer(int bits, int value) {
        var out = new HpackBlock();
        out.integer(0, bits, value);
        return HexFormat.of().formatHex(out.bytes, 0, out.length);
    }

    @Test
    void c2_4_an_indexed_field() {
        assertEquals("82", hex(":method", "GET"));
    }

    @Test
    void c4_requests() {
        assertEquals(
                "828684418cf1e3c2e5f23a6ba0ab90f4ff",
                hex(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "www.example.com"));
        assertEquals(
                "828684be5886a8eb10649cbf",
                hex(
                        ":method",
                        "GET",
                        ":scheme",
                        "http",
                        ":path",
                        "/",
                        ":authority",
                        "www.example.com",
                        "cache-control",
                        "no-cache"));
        assertEquals(
                "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
                hex(
                        ":method",
                        "GET",
                        ":scheme",
                        "https",
                        ":path",
                        "/index.html",
                        ":authority",
                        "www.example.com",
                        "custom-key",
                        "custom-value"));
    }

    @Test
    void c6_a_date() throws HpackError {
        assertEquals("6196d07abe941054d444a8200595040b8166e082a62d1bff", hex("date", "Mon, 21 Oct 2013 20:13:21 GMT"));
    }

    // Statuses.

    @Test
    void every_status_is_decoded_again() throws HpackError {
        for (int status = 100; status <= 999; status++) {
            var out = new HpackBlock();
            encoder.begin(out);
            encoder.status(status, out);
            assertEquals(List.of(":status: " + status), peer.decode(Arrays.copyOf(out.bytes, out.length)));
        }
        assertEquals(0, peer.decoder.bytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 204, 206, 304, 400, 404, 500})
    void a_status_of_the_static_table_is_one_byte(int status) {
        var out = new HpackBlock();
        encoder.status(status, out);
        assertEquals(1, out.length);
    }

    // Names.

    @Test
    void names_are_sent_in_small_letters() throws HpackError {
        assertEquals(
                List.of("content-type: text/plain", "x-custom-name: A", "authorization: B", "content-length: 7"),
                decoded(
                        "Content-Type",
                        "text/plain",
                        "X-Custom-NAME",
                        "A",
                        "AUTHORIZATION",
                        "B",
                        "Content-Length",
                        "7"));
    }

    @Test
    void names_of_the_static_table_are_sent_as_indexes() {
        for (int index = 1; index <= HpackStatic.COUNT; index++) {
            var name = HpackStatic.field(index).name;
            int length = encode(name, "1").length;
            assertTrue(length <= 5, name + " takes " + length + " bytes");
        }
    }

    @Test
    void fields_of_the_static_table_are_one_byte() throws HpackError {
        for (int index = 1; index <= HpackStatic.COUNT; index++) {
            var field = HpackStatic.field(index);
            assertEquals(1, encode(field.name, field.value).length, field.toString());
        }
    }

    @Test
    void a_name_that_is_in_the_table_is_sent_as_an_index() throws HpackError {
        encode("x-version", "1");
        assertEquals("0f2f0132", hex("x-version", "2"));
    }

    // What enters the table.

    @ParameterizedTest
    @ValueSource(
            strings = {"date", "content-type", "server", "cache-control", "vary", "user-agent", ":authority", "x-any"})
    void what_is_likely_to_repeat_is_sent_once(String name) throws HpackError {
        encode(name, "value");
        assertEquals("be", hex(name, "value"));
        assertEquals("be", hex(name, new String("value".toCharArray())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"content-length", "etag", "last-modified", "location", "age", ":path", "content-range", "ETag"})
    void what_differs_each_time_enters_no_table(String name) throws HpackError {
        assertEquals(1, decoded(name, "value").size());
        assertEquals(1, decoded(name, "value").size());
        assertEquals(0, peer.decoder.bytes());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"authorization", "proxy-authorization", "cookie", "set-cookie", "Set-Cookie", "AUTHORIZATION"})
    void a_secret_is_never_to_enter_a_table(String name) throws HpackError {
        var block = encode(name, "secret");
        assertEquals(0x10, block[0] & 0xf0);
        peer.decode(block);
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void a_long_value_enters_only_under_a_known_name() throws HpackError {
        decoded("x-any", "v".repeat(65));
        assertEquals(0, peer.decoder.bytes());
        decoded("x-any", "v".repeat(64));
        decoded("user-agent", "v".repeat(200));
        decoded("Content-Security-Policy", "v".repeat(500));
        assertEquals(3, peer.table().size());
    }

    @Test
    void a_value_of_half_a_table_enters_and_a_longer_one_does_not() throws HpackError {
        int most = 2048 - 32 - "server".length();
        decoded("server", "v".repeat(most + 1));
        assertEquals(0, peer.decoder.bytes());
        decoded("server", "v".repeat(most));
        assertEquals(2048, peer.decoder.bytes());
    }

    @Test
    void values_of_an_unknown_name_that_differ_do_not_fill_the_table() throws HpackError {
        for (int i = 0; i < 100; i++) decoded("x-id", "value " + i);
        assertEquals(List.of("x-id: value 0"), peer.table());
    }

    @Test
    void the_oldest_fields_leave_the_table() throws HpackError {
        for (int i = 0; i < 1000; i++) {
            var date = "day " + i;
            assertEquals(List.of("date: " + date, "server: a"), decoded("date", date, "server", "a"));
        }
        assertTrue(peer.decoder.bytes() > 4096 - 64);
    }

    // The peer's limit.

    @Test
    void with_no_table_nothing_is_indexed() throws HpackError {
        encoder.tableLimit(0);
        assertEquals("20", hex());
        assertEquals(List.of("server: a"), decoded("server", "a"));
        assertEquals(List.of("server: a"), decoded("server", "a"));
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void a_limit_is_announced_once_at_the_beginning_of_the_next_block() {
        encoder.tableLimit(100);
        assertEquals("3f4582", hex(":method", "GET"));
        assertEquals("82", hex(":method", "GET"));
    }

    @Test
    void a_larger_limit_than_4096_changes_nothing() {
        encoder.tableLimit(65536);
        assertEquals("", hex());
        encoder.tableLimit(-1); // 2^32 - 1
        assertEquals("", hex());
    }

    @Test
    void a_limit_that_was_small_for_a_while_is_announced_twice() throws HpackError {
        decoded("server", "a");
        encoder.tableLimit(0);
        encoder.tableLimit(4096);
        assertEquals("203fe11f", hex());
        assertEquals("", hex());
    }

    @Test
    void limits_that_grow_are_announced_as_the_last_one() {
        encoder.tableLimit(100);
        encode();
        encoder.tableLimit(200);
        encoder.tableLimit(300);
        assertEquals("3f8d02", hex());
    }

    @Test
    void what_a_smaller_limit_evicts_is_sent_again() throws HpackError {
        decoded("server", "a", "vary", "b");
        encoder.tableLimit(74);
        assertEquals(List.of("server: a", "vary: b"), decoded("server", "a", "vary", "b"));
        assertEquals(List.of("vary: b"), peer.table().subList(0, 1));
    }

    // Texts.

    @Test
    void every_byte_may_be_in_a_value() throws HpackError {
        for (int c = 0; c <= 0xff; c++) {
            var value = ((char) c + "").repeat(1 + c % 3);
            assertEquals(value, peer.decodeFields(encode("etag", value)).getFirst().value);
        }
    }

    @Test
    void a_text_may_be_long() throws HpackError {
        for (int length : new int[] {126, 127, 128, 300, 20_000}) {
            for (var c : List.of("a", "\u00e4", "~")) {
                var value = c.repeat(length);
                assertEquals(value, peer.decodeFields(encode("etag", value)).getFirst().value);
            }
        }
    }

    @Test
    void the_huffman_code_is_used_where_it_is_shorter() {
        assertEquals("0f0d" + "0131", hex("content-length", "1"));
        assertEquals("0f0d" + "0231" + "32", hex("content-length", "12"));
        assertEquals("0f0d" + "82" + "0883", hex("content-length", "121"));
    }

    @Test
    void a_repeated_response_allocates_nothing() {
        var out = new HpackBlock();
        for (int i = 0; i < 2; i++) respond(out);
        long before = AllocatedBytes.now();
        for (int i = 0; i < 1000; i++) respond(out);
        long allocated = AllocatedBytes.now() - before;
        assertTrue(allocated < 1000, allocated + " bytes");
    }

    @Test
    void an_encoder_that_is_not_used_takes_less_than_64_bytes() {
        var encoders = new HpackEncoder[1000];
        encoders[0] = new HpackEncoder();
        long before = AllocatedBytes.now();
        for (int i = 1; i < encoders.length; i++) encoders[i] = new HpackEncoder();
        long allocated = AllocatedBytes.now() - before;
        assertTrue(allocated < 64L * encoders.length, allocated + " bytes");
    }

    private void respond(HpackBlock out) {
        out.clear();
        encoder.begin(out);
        encoder.status(200, out);
        encoder.field("Content-Type", "text/plain; charset=utf-8", out);
        encoder.field("Content-Length", "1234", out);
        encoder.field("Date", "Mon, 21 Oct 2013 20:13:21 GMT", out);
        encoder.field("X-Long", "a value of more than 64 bytes, as an unknown name may have, is not indexed", out);
    }
}
