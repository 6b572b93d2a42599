package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.proxy.OtherProxy;
import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Ways to name a host, a path and a client so that a gate does not see them, and what comes of each: the gate answers
/// (403), nobody understands it (400), or it is something else and passes (200).
///
/// The rows are in `bypasses.txt`, with a column for Millrace and one for each of the others, configured as their
/// manuals say. With `-Dmillrace.bypasses.write` theirs are written anew.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BypassesTest {
    private static final Path ROWS = Path.of("src/test/resources/bypasses.txt");
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String MILLRACE = """
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

    private static final String NGINX = """
            daemon off; master_process off; pid %1$s/nginx.pid; error_log %1$s/error.log;
            events { worker_connections 256; }
            http {
              access_log off;
              client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy; fastcgi_temp_path %1$s/fastcgi;
              uwsgi_temp_path %1$s/uwsgi; scgi_temp_path %1$s/scgi;
              set_real_ip_from 127.0.0.0/8; set_real_ip_from 10.0.0.0/8;
              real_ip_header X-Forwarded-For; real_ip_recursive on;
              proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
              server {
                listen 127.0.0.1:%2$d; server_name admin.test *.intern.test "[::1]";
                location / { allow 192.0.2.0/24; deny all; proxy_pass http://127.0.0.1:%3$d; }
              }
              server {
                listen 127.0.0.1:%2$d default_server;
                if ($http_x_mode = debug) { return 403; }
                location = /admin { allow 192.0.2.0/24; deny all; proxy_pass http://127.0.0.1:%3$d; }
                location /admin/ { allow 192.0.2.0/24; deny all; proxy_pass http://127.0.0.1:%3$d; }
                location "/a b" { allow 192.0.2.0/24; deny all; proxy_pass http://127.0.0.1:%3$d; }
                location = /closed { return 403; }
                location /closed/ { return 403; }
                location / { proxy_pass http://127.0.0.1:%3$d; }
              }
            }
            """;
    private static final String HAPROXY = OtherProxy.haproxy("""
            acl known src 127.0.0.0/8 10.0.0.0/8
            http-request set-src hdr_ip(x-forwarded-for,-1) if known { req.hdr(x-forwarded-for) -m found }
            acl inside src 192.0.2.0/24
            acl host req.hdr(host),field(1,:) -m str -i admin.test
            acl host req.hdr(host),field(1,:) -m end -i .intern.test
            acl host req.hdr(host) -m beg [::1]
            acl path path -m str /admin /closed
            acl path path -m beg /admin/ /closed/
            acl path path,url_dec -m str "/a b"
            acl path path,url_dec -m beg "/a b/"
            acl mode req.hdr(x-mode) -m str debug
            http-request deny deny_status 403 if host !inside
            http-request deny deny_status 403 if path !inside
            http-request deny deny_status 403 if mode
            """);

    @TempDir
    private Path folder;

    /// @param others what nginx and HAProxy answer: a status, or `end` where they answer nothing
    private record Row(String kind, String millrace, List<String> others, String text) {
        static List<Row> all() throws IOException {
            return Files.readAllLines(ROWS).stream()
                    .filter(line -> !line.startsWith("#"))
                    .map(Row::parse)
                    .toList();
        }

        private static Row parse(String line) {
            var words = line.split(" +", 5);
            return new Row(words[0], words[1], List.of(words[2], words[3]), words[4]);
        }

        String request() {
            var form = switch (kind) {
                case "host" -> "GET / HTTP/1.1\r\nHost: %s\r\n\r\n";
                case "target" -> "GET http://%s/ HTTP/1.0\r\n\r\n";
                case "path" -> "GET %s HTTP/1.1\r\nHost: a\r\n\r\n";
                case "client" -> "GET /admin HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\n\r\n";
                case "field" -> "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n";
                default -> throw new AssertionError(kind);
            };
            return form.formatted(text.replace("\\r\\n", "\r\n"));
        }

        Row with(int column, String answer) {
            var changed = new ArrayList<>(others);
            changed.set(column, answer);
            return new Row(kind, millrace, changed, text);
        }

        @Override
        public String toString() {
            return "%-6s %s %s %s %s".formatted(kind, millrace, others.get(0), others.get(1), text);
        }
    }

    @Test
    void no_way_to_name_something_leads_around_its_gate() throws Exception {
        var wrong = new ArrayList<String>();
        var rows = Row.all();
        try (var backend = RawBackend.answering(OK);
                var proxy = Serving.of(MILLRACE.replace("PORT", "" + backend.port()))) {
            for (var row : rows) {
                try (var client = proxy.connect()) {
                    int status = client.send(row.request()).read().status();
                    if (!row.millrace().equals("" + status)) wrong.add(status + ", and not as in: " + row);
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(rows.size() >= 100, rows.size() + " rows");
    }

    @ParameterizedTest
    @EnumSource
    void what_others_do_is_as_the_table_says(OtherProxy.Program program) throws Exception {
        var heads = heads();
        var version = "# " + program + " " + program.version();
        boolean isWriting = System.getProperty("millrace.bypasses.write") != null;
        assumeTrue(isWriting || heads.contains(version), () -> version + " is none of " + heads);
        var file = program == OtherProxy.Program.NGINX ? NGINX : HAPROXY;
        int column = program == OtherProxy.Program.NGINX ? 0 : 1;
        var rows = new ArrayList<Row>();
        try (var backend = RawBackend.answering(OK);
                var proxy = program.start(folder, file, backend.port())) {
            for (var row : Row.all()) rows.add(row.with(column, answer(proxy.port(), row.request())));
        }
        if (isWriting) {
            heads.removeIf(line -> line.startsWith("# " + program));
            heads.add(version);
            Files.write(
                    ROWS,
                    Stream.concat(heads.stream(), rows.stream().map(Row::toString))
                            .toList());
        }
        assertEquals(Row.all(), rows);
    }

    private static List<String> heads() throws IOException {
        var heads = new ArrayList<>(Files.readAllLines(ROWS));
        heads.removeIf(line -> !line.startsWith("#"));
        return heads;
    }

    private static String answer(int port, String request) throws IOException {
        try (var client = new RawClient(port)) {
            return "" + client.send(request).read().status();
        } catch (EOFException _) {
            return "end";
        }
    }
}
