package io.millrace.http.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/// The examples of RFC 7541 appendix C.
class HpackExamplesTest {
    private static final String DATE_21 = "date: Mon, 21 Oct 2013 20:13:21 GMT";
    private static final String DATE_22 = "date: Mon, 21 Oct 2013 20:13:22 GMT";
    private static final String LOCATION = "location: https://www.example.com";
    private static final String COOKIE = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";
    private static final String AUTHORITY = ":authority: www.example.com";

    private static final List<List<String>> REQUESTS = List.of(
            List.of(":method: GET", ":scheme: http", ":path: /", AUTHORITY),
            List.of(":method: GET", ":scheme: http", ":path: /", AUTHORITY, "cache-control: no-cache"),
            List.of(":method: GET", ":scheme: https", ":path: /index.html", AUTHORITY, "custom-key: custom-value"));

    private static final List<List<String>> RESPONSES = List.of(
            List.of(":status: 302", "cache-control: private", DATE_21, LOCATION),
            List.of(":status: 307", "cache-control: private", DATE_21, LOCATION),
            List.of(":status: 200", "cache-control: private", DATE_22, LOCATION, "content-encoding: gzip", COOKIE));

    @Test
    void c1_integers() throws HpackError {
        assertEquals(10, integer("0a", 5));
        assertEquals(1337, integer("1f9a0a", 5));
        assertEquals(42, integer("2a", 8));
    }

    private static int integer(String hex, int bits) throws HpackError {
        var bytes = HpackPeer.bytes(hex);
        var scratch = new HpackScratch();
        scratch.begin(bytes, 0, bytes.length);
        return scratch.integer(scratch.nextByte(), bits);
    }

    @Test
    void c2_1_a_literal_that_enters_the_table() throws HpackError {
        var peer = new HpackPeer(4096);
        var decoded = peer.decode("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572");
        assertEquals(List.of("custom-key: custom-header"), decoded);
        assertEquals(decoded, peer.table());
        assertEquals(55, peer.decoder.bytes());
    }

    @Test
    void c2_2_a_literal_that_does_not() throws HpackError {
        var peer = new HpackPeer(4096);
        assertEquals(List.of(":path: /sample/path"), peer.decode("040c 2f73 616d 706c 652f 7061 7468"));
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void c2_3_a_literal_that_never_does() throws HpackError {
        var peer = new HpackPeer(4096);
        assertEquals(List.of("password: secret"), peer.decode("1008 7061 7373 776f 7264 0673 6563 7265 74"));
        assertEquals(0, peer.decoder.bytes());
    }

    @Test
    void c2_4_an_indexed_field() throws HpackError {
        assertEquals(List.of(":method: GET"), new HpackPeer(4096).decode("82"));
    }

    @Test
    void c3_requests_without_a_huffman_code() throws HpackError {
        assertRequests(
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65");
    }

    @Test
    void c4_requests_with_it() throws HpackError {
        assertRequests(
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
                "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf");
    }

    private static void assertRequests(String... blocks) throws HpackError {
        var peer = new HpackPeer(4096);
        for (int i = 0; i < blocks.length; i++) assertEquals(REQUESTS.get(i), peer.decode(blocks[i]));
        assertEquals(List.of("custom-key: custom-value", "cache-control: no-cache", AUTHORITY), peer.table());
        assertEquals(164, peer.decoder.bytes());
    }

    @Test
    void c5_responses_without_a_huffman_code_in_a_small_table() throws HpackError {
        assertResponses("""
                4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
                2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
                """, "4803 3330 37c1 c0bf", """
                88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
                54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
                5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31
                """);
    }

    @Test
    void c6_responses_with_it_in_a_small_table() throws HpackError {
        assertResponses("""
                4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
                2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3
                """, "4883 640e ffc1 c0bf", """
                88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
                77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
                9587 3160 65c0 03ed 4ee5 b106 3d50 07
                """);
    }

    private static void assertResponses(String... blocks) throws HpackError {
        var peer = new HpackPeer(256);
        for (int i = 0; i < blocks.length; i++) {
            assertEquals(RESPONSES.get(i), peer.decode(blocks[i]));
            if (i == 0) assertEquals(222, peer.decoder.bytes());
            if (i == 1)
                assertEquals(List.of(":status: 307", LOCATION, DATE_21, "cache-control: private"), peer.table());
        }
        assertEquals(List.of(COOKIE, "content-encoding: gzip", DATE_22), peer.table());
        assertEquals(215, peer.decoder.bytes());
    }
}
