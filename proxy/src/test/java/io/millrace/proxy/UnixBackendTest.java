package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Backends behind Unix sockets.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnixBackendTest {
    @TempDir
    Path folder;

    private Path path() {
        return folder.resolve("app.sock");
    }

    private Server backend() {
        return Http.listen(Listen.on(UnixDomainSocketAddress.of(path())), UnixBackendTest::answer);
    }

    private static Response answer(Request request) {
        return Response.ok(request.path() + " at " + request.header("Host").orElse("nobody"));
    }

    @ParameterizedTest
    @EnumSource
    void requests_reach_it(Proxying.Kind kind) throws Exception {
        try (var _ = backend();
                var proxy = kind.to("unix:" + path());
                var client = proxy.connect()) {
            assertEquals("/a at a.test", client.get("/a").read().text());
            assertEquals("/b at a.test", client.get("/b").read().text());
        }
    }

    @Test
    void its_own_host_is_localhost() throws Exception {
        try (var _ = backend();
                var proxy = Proxying.Kind.NIO_SAME.to(upstream -> upstream.host(HostPolicy.BACKEND), "unix:" + path());
                var client = proxy.connect()) {
            assertEquals("/ at localhost", client.get("/").read().text());
        }
    }

    @Test
    void a_check_of_its_health_goes_through_the_socket() throws Exception {
        var kind = Proxying.Kind.NIO_SAME;
        try (var proxy = kind.to(
                upstream -> upstream.health("/healthz", Duration.ofMillis(20)).start(), "unix:" + path())) {
            var checked = proxy.upstream().backends().orElseThrow().members().getFirst();
            Tunnelling.until(() -> !checked.isHealthy());
            try (var _ = backend()) {
                Tunnelling.until(checked::isHealthy);
                assertEquals("answered with status 200", checked.finding());
            }
        }
    }

    @Test
    void its_name_in_metrics_and_logs_is_its_path() throws Exception {
        try (var _ = backend();
                var proxy = Proxying.Kind.NIO_SAME.to("unix:" + path());
                var client = proxy.connect()) {
            client.get("/").read();
            assertEquals(
                    "unix:" + path(),
                    proxy.upstream()
                            .backends()
                            .orElseThrow()
                            .members()
                            .getFirst()
                            .toString());
        }
    }
}
