package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.HttpFilter;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.ForwardProxy;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.net.Refused;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Our client behind our proxy.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForwardedClientTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost", "127.0.0.1");

    /// What the proxy lets pass, and asks of others.
    private static final String SAID = "Basic YXBwOnMzY3JldA==";

    private final List<String> atProxy = new CopyOnWriteArrayList<>();

    private final HttpFilter asking = next -> request -> {
        atProxy.add(request.method() + " " + request.path());
        return request.header("Proxy-Authorization").filter(SAID::equals).isPresent()
                ? next.handle(request)
                : Response.status(407).close();
    };

    private static Listen free(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private static Response told(Request request) {
        return Response.ok(
                request.path() + " " + request.header("Proxy-Authorization").orElse("without"));
    }

    private static ForwardProxy through(Proxying proxy) {
        return ForwardProxy.at("127.0.0.1", proxy.server().port());
    }

    private static void assertAllHome(EventLoops loops) {
        loops.close();
        for (var counters : loops.counters()) assertEquals(0, counters.slabBytesInUse(), counters::toString);
    }

    @ParameterizedTest
    @EnumSource
    void https_goes_through_one_tunnel_and_the_origin_sees_no_credentials(Proxying.Kind kind) throws IOException {
        var loops = EventLoops.configure().threads(1).start();
        try (var origin = Http.listen(free(loops).through(Tls.server(IDENTITY)), ForwardedClientTest::told);
                var proxy = kind.serve(
                        Upstream.of("http://127.0.0.1:1"),
                        upstream -> asking.around(ConnectTunnels.to(List.of("127.0.0.1:" + origin.port()), upstream)));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(loops)
                        .tls(Tls.client().trusting(IDENTITY.chain()))
                        .proxy(through(proxy).credentials("app", "s3cret")))) {
            for (int i = 0; i < 5; i++) {
                var path = "/" + i;
                assertEquals(
                        path + " without",
                        client.send(Request.get("https://127.0.0.1:" + origin.port() + path))
                                .text());
            }
            assertEquals(List.of("CONNECT 127.0.0.1:" + origin.port()), atProxy);
        }
        assertAllHome(loops);
    }

    @ParameterizedTest
    @EnumSource
    void http_is_passed_on_and_the_origin_sees_no_credentials(Proxying.Kind kind) throws IOException {
        var loops = EventLoops.configure().threads(1).start();
        try (var origin = Http.listen(free(loops), ForwardedClientTest::told);
                var proxy = kind.serve(
                        Upstream.of("http://127.0.0.1:" + origin.port()), upstream -> asking.around(upstream));
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(loops)
                        .proxy(through(proxy).credentials("app", "s3cret")))) {
            var response = client.send(Request.get("http://127.0.0.1:" + origin.port() + "/a"));
            assertEquals("/a without", response.text());
            assertEquals(List.of("GET /a"), atProxy);
        }
        assertAllHome(loops);
    }

    @ParameterizedTest
    @EnumSource
    void without_credentials_there_is_no_tunnel(Proxying.Kind kind) throws IOException {
        var loops = EventLoops.configure().threads(1).start();
        try (var proxy = kind.serve(
                        Upstream.of("http://127.0.0.1:1"),
                        upstream -> asking.around(ConnectTunnels.to(List.of("127.0.0.1:443"), upstream)));
                var client =
                        HttpClient.of(ClientSettings.standard().loops(loops).proxy(through(proxy)))) {
            var request = Request.get("https://127.0.0.1/");
            var refused = assertThrows(Refused.class, () -> client.send(request));
            assertTrue(refused.toString().contains("407"), refused::toString);
        }
        assertAllHome(loops);
    }
}
