package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Response;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RealIp;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Who the client is, behind proxies that say whom they serve.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealIpTest {
    private static final RealIp BELIEVING = RealIp.from(Networks.of("127.0.0.0/8", "10.0.0.0/8"));
    private static final String PEER = "127.0.0.1";

    /// Whom a handler sees behind the filter.
    private static String client(RealIp realIp, String fields) throws Exception {
        try (var backend = RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                var proxy = Proxying.Kind.NIO_SAME.serve(
                        Upstream.of(backend.uri()),
                        _ -> realIp.around(request -> Response.ok(((InetSocketAddress) request.remote())
                                .getAddress()
                                .getHostAddress())));
                var client = proxy.connect()) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")
                    .read()
                    .text();
        }
    }

    private static String told(String list) throws Exception {
        return client(BELIEVING, "X-Forwarded-For: " + list + "\r\n");
    }

    @Test
    void a_stranger_is_not_believed() throws Exception {
        assertEquals(PEER, client(RealIp.from(Networks.of("10.0.0.0/8")), "X-Forwarded-For: 192.0.2.1\r\n"));
    }

    @Test
    void without_the_field_it_is_the_peer() throws Exception {
        assertEquals(PEER, client(BELIEVING, "Forwarded: for=192.0.2.1\r\nX-Real-IP: 192.0.2.1\r\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1 | 192.0.2.1",
                "6.6.6.6, 192.0.2.1 | 192.0.2.1",
                "6.6.6.6, 192.0.2.1, 10.1.2.3 | 192.0.2.1",
                "10.9.9.9, 10.1.2.3 | 10.9.9.9",
            })
    void the_list_is_walked_from_the_right_to_the_first_stranger(String list, String client) throws Exception {
        assertEquals(client, told(list));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unknown",
                "_hidden",
                "a.test",
                "10.1",
                "127.1",
                "0x7f.0.0.1",
                "fe80::1%eth0",
                "",
                "1.2.3.4:",
                "1.2.3.4:x",
                "[::1",
                "[::1]x",
                "::1]",
                "1.2.3.4.5",
                "1.2.3.999",
                "[1.2.3.4]",
                "1.2.3.4 5.6.7.8",
                "\"1.2.3.4\""
            })
    void an_entry_that_cannot_be_read_ends_the_walk(String entry) throws Exception {
        assertEquals(PEER, told("192.0.2.1, " + entry));
        assertEquals("10.0.0.9", told("192.0.2.1, " + entry + ", 10.0.0.9"));
    }

    @Test
    void several_fields_are_one_list() throws Exception {
        assertEquals("192.0.2.1", told("6.6.6.6\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 10.0.0.9"));
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1:4711, 192.0.2.1",
        "2001:db8::1, 2001:db8:0:0:0:0:0:1",
        "[2001:db8::1], 2001:db8:0:0:0:0:0:1",
        "[2001:db8::1]:443, 2001:db8:0:0:0:0:0:1",
        "::ffff:192.0.2.1, 192.0.2.1",
    })
    void addresses_are_read_in_the_forms_that_proxies_write(String written, String read) throws Exception {
        assertEquals(read, told(written));
    }

    @Test
    void a_client_cannot_have_the_field_left_out() throws Exception {
        assertEquals("192.0.2.1", told("192.0.2.1\r\nConnection: X-Forwarded-For"));
    }

    @Test
    void another_field_may_be_named_and_then_the_standard_one_means_nothing() throws Exception {
        var realIp = BELIEVING.header("CF-Connecting-IP");
        assertEquals("192.0.2.1", client(realIp, "cf-connecting-ip: 192.0.2.1\r\nX-Forwarded-For: 6.6.6.6\r\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "for=192.0.2.1 | 192.0.2.1",
                "For=\"192.0.2.1:80\";proto=https | 192.0.2.1",
                "proto=http;for=\"[2001:db8::1]:80\" | 2001:db8:0:0:0:0:0:1",
                "for=6.6.6.6, for=192.0.2.1;by=10.0.0.1, for=10.0.0.9 | 192.0.2.1",
                // What a client left open swallows nothing that stands behind it.
                "for=\", for=192.0.2.1 | 192.0.2.1",
                "x=\"\\, for=\"192.0.2.1\" | 192.0.2.1",
                "for=6.6.6.6, for=\", for=10.0.0.9 | 10.0.0.9",
                "for=6.6.6.6, for=unknown | 127.0.0.1",
                "for=6.6.6.6, by=10.0.0.1 | 127.0.0.1",
                "for=6.6.6.6;for=192.0.2.1 | 127.0.0.1",
            })
    void forwarded_is_read_as_rfc_7239_has_it(String field, String client) throws Exception {
        assertEquals(client, client(BELIEVING.header("Forwarded"), "Forwarded: " + field + "\r\n"));
    }
}
