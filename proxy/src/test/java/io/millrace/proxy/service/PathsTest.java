package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.RawBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the backend gets of a target, by the forms of paths that a listener takes: the rows of "Paths" in
/// `docs/proxy-tables.md`. Each row is what is sent, and what arrives or the status instead.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PathsTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String FILE = """
            listeners: {web: {address: "127.0.0.1:0", paths: [PATHS]}}
            routes:
              gate: {match: {prefix: /admin}, respond: {status: 403}}
              moved: {match: {prefix: /old}, upstream: app, rewrite: {prefix: /new}}
              all: {upstream: app}
            upstreams: {app: {endpoints: ["127.0.0.1:PORT"]}}
            runtime: {loops: 1}
            """;

    private static final String STRICT = """
            /a/b -> /a/b
            //a -> /a
            /a///b// -> /a/b/
            /a/./b/../c -> /a/c
            /%61%7e/%c3%a9 -> /a~/%C3%A9
            /a%2Fb -> 400
            /a%2fb -> 400
            /a[1] -> 400
            /a]b -> 400
            /a|b -> 400
            /a^b -> 400
            /a?x=100% -> 400
            /a?x=%zz -> 400
            /a?x=[1]|^ -> /a?x=[1]|^
            //admin -> 403
            """;

    private static final String SLASHES = """
            //a -> //a
            /a///b// -> /a///b//
            // -> //
            /%61//%7e -> /%61//%7e
            /a//../b -> 400
            /a/./b -> /a/./b
            /.//b -> /.//b
            /./admin -> 403
            //./admin/x -> 403
            /a//%2e%2e/b -> 400
            /a%2Fb -> 400
            /a[1] -> 400
            /a//b?x=//y -> /a//b?x=//y
            //admin -> 403
            /admin//x -> 403
            ///admin/x -> 403
            //old//x -> //old//x
            /old//x -> /new//x
            """;

    private static final String ESCAPED_SLASHES = """
            /a%2Fb -> /a%2Fb
            /a%2fb -> /a%2fb
            /%2F -> /%2F
            /a%2F%2Fb/%2f -> /a%2F%2Fb/%2f
            /%61%2F%7e -> /%61%2F%7e
            //a%2Fb -> /a%2Fb
            /a%2F..%2Fb -> 400
            /a%2F../b -> 400
            /a%5Cb -> 400
            /a[1] -> 400
            /a%2Fb?x=%2f -> /a%2Fb?x=%2f
            /admin%2Fx -> 403
            /%2Fadmin -> 403
            /%2f%2fadmin%2f -> 403
            /admi%6e%2fx -> 403
            """;

    private static final String UNESCAPED = """
            /a[1] -> /a[1]
            /a|b^c] -> /a|b^c]
            /a%5B1%5d -> /a%5B1%5d
            /a?x=100% -> /a?x=100%
            /a?x=%zz&y=%4 -> /a?x=%zz&y=%4
            /a?x=[1]|^ -> /a?x=[1]|^
            /a% -> 400
            /a%zz -> 400
            /a<b -> 400
            /a"b -> 400
            /a\\b -> 400
            /a%2Fb -> 400
            //a -> /a
            /admin?[ -> 403
            /admin/[1] -> 403
            """;

    private static List<String> wrong(String paths, String host, String rows) throws Exception {
        var wrong = new ArrayList<String>();
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(FILE.replace("PATHS", paths).replace("PORT", "" + backend.port()))) {
            for (var row : rows.lines().toList()) {
                var parts = row.split(" -> ", -1);
                try (var client = proxy.connect()) {
                    var request = "GET " + parts[0] + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
                    int status = client.send(request).read().status();
                    var got = status == 200 ? backend.nextHead().getFirst().split(" ", -1)[1] : "" + status;
                    if (!got.equals(parts[1])) wrong.add(row + ": " + got);
                }
            }
        }
        return wrong;
    }

    @Test
    void paths_are_canonical_where_nobody_says_otherwise() throws Exception {
        assertEquals(List.of(), wrong("", "a.test", STRICT));
    }

    @Test
    void slashes_that_are_kept_arrive_byte_for_byte() throws Exception {
        assertEquals(List.of(), wrong("{slashes: keep}", "a.test", SLASHES));
    }

    @Test
    void escaped_slashes_that_are_kept_are_characters_and_arrive_byte_for_byte() throws Exception {
        assertEquals(List.of(), wrong("{escaped-slashes: keep}", "a.test", ESCAPED_SLASHES));
    }

    @Test
    void what_is_not_escaped_and_kept_arrives_byte_for_byte() throws Exception {
        assertEquals(List.of(), wrong("{unescaped: keep}", "a.test", UNESCAPED));
    }

    @Test
    void all_of_it_is_for_the_hosts_that_are_named() throws Exception {
        var one = "{hosts: [a.test], slashes: keep, escaped-slashes: keep, unescaped: keep}";
        assertEquals(List.of(), wrong(one, "A.test.", "//a%2f[1]/%61 -> //a%2f[1]/%61\n//admin -> 403\n"));
        assertEquals(List.of(), wrong(one, "b.test", STRICT));
    }
}
