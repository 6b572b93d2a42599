package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.HttpSettings;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.testing.PemFiles;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A check over TLS agrees on a version of HTTP with the backend, as requests do.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckVersionsTest {
    private static String configuration(int port, Path authorities, String protocol) {
        return """
                listeners:
                  web: {address: "127.0.0.1:0"}
                routes:
                  checked: {upstream: app}
                upstreams:
                  app:
                    endpoints: ["127.0.0.1:%d"]
                    tls: {authorities: %s}
                    protocol: %s
                    health: {check: http, path: /healthy, interval: 1s, timeout: 30s, initially-healthy: false}
                runtime: {loops: 1}
                """.formatted(port, authorities, protocol);
    }

    @TempDir
    Path folder;

    /// A backend resets the handshake of a client that offers none of its versions.
    @ParameterizedTest
    @CsvSource({
        "h2,          auto, HTTP/2.0",
        "h2,          h2,   HTTP/2.0",
        "h2 http/1.1, auto, HTTP/2.0",
        "h2 http/1.1, h1,   HTTP/1.1",
        "http/1.1,    auto, HTTP/1.1"
    })
    void a_check_speaks_the_version_that_requests_do(String offered, String protocol, String spoken) throws Exception {
        var files = PemFiles.make(folder, "backend", "127.0.0.1");
        var versions = new ConcurrentSkipListSet<String>();
        var settings = HttpSettings.standard().listener(served -> versions.add(served.protocol()));
        var tls = Tls.server(files.chain(), files.key()).speaking(offered.split(" ", -1));
        try (var loops = EventLoops.configure().threads(1).start();
                var backend = Http.listen(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(loops)
                                .through(tls),
                        settings,
                        request -> Response.ok(request.path()));
                var proxy = Serving.of(configuration(backend.port(), files.chain(), protocol));
                var client = proxy.connect()) {
            // Nothing is asked before a check was good.
            while (client.get("/here").read().status() != 200) Waiting.briefly();
            assertEquals(Set.of(spoken), versions);
        }
    }
}
