package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.RawBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Ways to name a host, a path and a client so that a gate does not see them. Each row says what comes of it: the
/// gate answers (403), nobody understands it (400), or it is something else and passes (200).
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BypassesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String FILE = """
            listeners:
              web:
                address: "127.0.0.1:0"
                real-ip: {from: [127.0.0.0/8, 10.0.0.0/8]}
            routes:
              host: {match: {hosts: [admin.test, "*.intern.test", "[::1]"]}, upstream: app, access: {allow: [192.0.2.0/24]}}
              path: {match: {prefix: /admin}, upstream: app, access: {allow: [192.0.2.0/24]}}
              space: {match: {prefix: "/a%20b"}, upstream: app, access: {allow: [192.0.2.0/24]}}
              closed: {match: {prefix: /closed}, respond: {status: 403}}
              field: {match: {headers: [{name: X-Mode, value: debug}]}, respond: {status: 403}}
              others: {upstream: app}
            upstreams: {app: {endpoints: ["127.0.0.1:PORT"]}}
            runtime: {loops: 1}
            """;

    private static final String HOSTS = """
            403 admin.test
            403 Admin.TEST
            403 admin.test:80
            403 admin.test:65535
            403 admin.test.
            403 admin.test.:80
            403 a.intern.test
            403 a.b.intern.test
            403 A.INTERN.test:8080
            403 a.intern.test.
            403 [::1]
            403 [::1]:80
            403 [0:0:0:0:0:0:0:1]
            403 [0000::0001]:80
            400 %61dmin.test
            400 admin%2etest
            400 admin%2Etest
            400 admin.test%00
            400 admin.test%2f
            400 x@admin.test
            400 admin.test/
            400 admin.test:
            400 admin.test:x
            400 admin.test:65536
            200 admin.test,other.test
            400 [::1
            400 [::1%lo]
            200 intern.test
            200 xadmin.test
            200 admin.test.other.test
            200 other.test
            """;

    private static final String PATHS = """
            403 /admin
            403 /admin/
            403 /admin/x
            403 /admin?x
            403 //admin
            403 ///admin//x
            403 /./admin
            403 /x/../admin
            403 /x/%2e%2e/admin
            403 /x/.%2E/admin/y
            403 /%61dmin
            403 /%61%64%6d%69%6e/x
            403 /admin;x
            403 /admin;x/y
            403 /admin;x=1;y=2/z
            403 /admin;/
            403 /;x/admin
            403 /;/admin
            403 /.;x/admin
            403 /admin%3bx/y
            403 /admin%3B
            403 /%2561dmin
            403 /%252561dmin
            403 /admin%252fx
            403 /x%252f/../admin
            403 /%252fadmin
            403 /admin%3fx
            403 /admin%23x
            403 /admin%253fx
            403 /.%3b/admin
            403 /%252e/admin
            403 /a%20b
            403 /a%20b;x/y
            403 /a%2520b/x
            403 /closed
            403 /closed;x
            403 /closed%3b/y
            403 /%2563losed
            400 /../admin
            400 /x/../../admin
            400 /pub/..;/admin
            400 /pub/..;x=1/admin/y
            400 /pub/..%3b/admin
            400 /pub/%2e%2e;/admin
            400 /pub/%252e%252e/admin
            400 /pub/.%252e/admin
            400 /pub/%25252e%25252e/admin
            400 /pub/..%252fadmin
            400 /pub%252f..%252fadmin
            400 /pub/..%255cadmin
            400 /pub%255c..%255cadmin
            400 /admin%2f
            400 /x%2f..%2fadmin
            400 /admin%5cx
            400 /admin\\x
            400 /admin%00
            400 /admin%0a
            400 /admin%2500
            400 /admin%7f
            400 /admin%
            400 /admin%2
            400 /admin%u0061
            200 /Admin
            200 /admins
            200 /x/admin
            200 /admi
            200 /x;/admin
            200 /x?/admin
            200 /100%25
            200 /x%2520y
            """;

    private static final String CLIENTS = """
            403 6.6.6.6
            403 192.0.2.1, 6.6.6.6
            403 192.0.2.1, 6.6.6.6, 10.0.0.1
            403 192.0.2.1, unknown
            403 192.0.2.1, 10.1
            403 192.0.2.1,
            403 192.0.2.1, ::ffff:6.6.6.6
            403 [192.0.2.1]
            403 192.0.2
            403 0xc0.0.2.1
            403 192.0.2.1%0
            403 192.0.2.1:x
            403 192.0.2.1 6.6.6.6
            403 "192.0.2.1"
            403 for=192.0.2.1
            200 192.0.2.1
            200 192.0.2.1:80
            200 6.6.6.6, 192.0.2.1
            200 192.0.2.1, 10.0.0.1
            200 ::ffff:192.0.2.1
            """;

    private record Row(int status, String name, String request) {}

    private static List<Row> rows() {
        var rows = new ArrayList<Row>();
        HOSTS.lines().forEach(line -> rows.add(row("host", line, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n")));
        HOSTS.lines().forEach(line -> rows.add(row("target", line, "GET http://%s/ HTTP/1.0\r\n\r\n")));
        PATHS.lines().forEach(line -> rows.add(row("path", line, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n")));
        CLIENTS.lines()
                .forEach(line ->
                        rows.add(row("client", line, "GET /admin HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\n\r\n")));
        rows.add(field(403, "X-Mode: debug"));
        rows.add(field(403, "X-Mode: a\r\nX-Mode: debug"));
        rows.add(field(403, "x-mode: debug\r\nX-MODE: b"));
        rows.add(field(403, "X-Mode: debug\r\nConnection: X-Mode"));
        rows.add(field(200, "X-Mode: debugs"));
        rows.add(field(200, "X-Forwarded-Host: admin.test"));
        rows.add(field(200, "Forwarded: host=admin.test"));
        return rows;
    }

    private static Row row(String kind, String line, String form) {
        // A target ends its host with a slash, so that one more is a path.
        int status =
                kind.equals("target") && line.equals("400 admin.test/") ? 403 : Integer.parseInt(line.substring(0, 3));
        return new Row(status, kind + " " + line.substring(4), form.formatted(line.substring(4)));
    }

    private static Row field(int status, String lines) {
        return new Row(status, "field " + lines, "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n\r\n");
    }

    @Test
    void no_way_to_name_something_leads_around_its_gate() throws Exception {
        var wrong = new ArrayList<String>();
        var rows = rows();
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(FILE.replace("PORT", "" + backend.port()))) {
            for (var row : rows) {
                try (var client = proxy.connect()) {
                    int status = client.send(row.request()).read().status();
                    if (status != row.status()) wrong.add(row.name() + ": " + status + ", and not " + row.status());
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertEquals(true, rows.size() >= 100, rows.size() + " rows");
    }
}
