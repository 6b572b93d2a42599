package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The corpus through nginx and HAProxy, where they are installed, and what their backends see: the figures of
/// `docs/proxy-smuggling.md`. Takes minutes, and says nothing of Millrace, so it runs when somebody asks for it.
@EnabledIfSystemProperty(named = "otherProxies", matches = "true", disabledReason = "run it with -DotherProxies=true")
class OtherProxiesTest {
    private static final int PATIENCE_MILLIS = 2_000;
    private static final HostileRequest LAST = HostileRequest.good("/last");

    private static final String NGINX = """
            daemon off; master_process off; pid %1$s/nginx.pid; error_log %1$s/error.log;
            events { worker_connections 256; }
            http {
              access_log off; client_max_body_size 64k;
              client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy; fastcgi_temp_path %1$s/fastcgi;
              uwsgi_temp_path %1$s/uwsgi; scgi_temp_path %1$s/scgi;
              upstream backend { server 127.0.0.1:%3$d; keepalive 4; }
              server {
                listen 127.0.0.1:%2$d;
                location / {
                  proxy_pass http://backend; proxy_http_version 1.1;
                  proxy_set_header Connection ""; proxy_set_header Host $http_host;
                }
              }
            }
            """;

    /// What became of a request, compared with what a strict server makes of it.
    private enum Verdict {
        SAME,
        REFUSED,
        PASSED,
        PASSED_AS_IT_CAME
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void others(OtherProxy.Program program) throws Exception {
        var configuration = program == OtherProxy.Program.NGINX ? NGINX : OtherProxy.haproxy("");
        try (var backend = new RecordingBackend();
                var proxy = program.start(folder, configuration, port(backend.uri()))) {
            print(program.name(), backend, proxy.port());
        }
    }

    private static int port(String uri) {
        return Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1));
    }

    @Test
    void millrace() throws Exception {
        try (var backend = new RecordingBackend();
                var proxy = Proxying.Kind.EPOLL_SAME.to(backend.uri())) {
            print("Millrace", backend, proxy.server().port());
        }
    }

    private static void print(String name, RecordingBackend backend, int port) throws IOException {
        var groups = new TreeMap<String, Map<Verdict, Integer>>();
        for (var request : HostileRequest.all()) {
            if (request.isTooLarge()) continue;
            var replies = replies(request, port);
            var seen = backend.taken();
            var ambiguous = backend.ambiguous();
            int passed = (int) seen.stream()
                    .filter(message -> !message.target().equals("/last"))
                    .count();
            var verdict = !ambiguous.isEmpty()
                    ? Verdict.PASSED_AS_IT_CAME
                    : passed == request.accepted()
                            ? Verdict.SAME
                            : passed < request.accepted() ? Verdict.REFUSED : Verdict.PASSED;
            var group = request.name().substring(0, request.name().indexOf('/'));
            groups.computeIfAbsent(group, _ -> new TreeMap<>()).merge(verdict, 1, Integer::sum);
            if (verdict != Verdict.SAME) {
                System.out.printf(
                        "%s\t%s\t%s\t%s\t%s%n",
                        name, request, verdict, replies, ambiguous.isEmpty() ? seen : ambiguous);
            }
        }
        groups.forEach((group, verdicts) -> System.out.println("=\t" + name + "\t" + group + "\t" + verdicts));
        assertEquals("/last", last(backend, port), "the proxy serves at the end");
    }

    private static String last(RecordingBackend backend, int port) throws IOException {
        var _ = replies(LAST, port);
        return backend.taken().getFirst().target();
    }

    /// Status lines, with a request behind that would be answered if the connection were to stay.
    private static List<String> replies(HostileRequest request, int port) throws IOException {
        var statuses = new ArrayList<String>();
        try (var client = new RawClient(port)) {
            client.socket().setSoTimeout(PATIENCE_MILLIS);
            var last = new String(LAST.bytes(), java.nio.charset.StandardCharsets.ISO_8859_1)
                    .replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
            client.send(request.bytes());
            if (request.ends()) client.socket().shutdownOutput();
            else client.send(last);
            while (true) statuses.add("" + client.readFinal().status());
        } catch (SocketTimeoutException e) {
            statuses.add("waits");
        } catch (IOException e) {
            // The end.
        }
        return statuses;
    }
}
