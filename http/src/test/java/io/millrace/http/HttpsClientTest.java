package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.TransportKind;
import io.millrace.bytes.Bytes;
import io.millrace.http.door.AnyDispatch;
import io.millrace.http.server.Http;
import io.millrace.net.TlsError;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The client of HTTP over TLS, and what handlers learn of it.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpsClientTest {
    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost", "127.0.0.1");
    private static final TlsClient TRUSTING = Tls.client().trusting(IDENTITY.chain());
    private static final int LARGE_BYTES = 2_000_000;

    private static Serving serve(TransportKind transport, Dispatch dispatch, TlsServer tls, HttpHandler app) {
        var loops = Serving.setup(transport).threads(1).start();
        var limits = HttpLimits.standard().bodyBytes(2L * LARGE_BYTES);
        return new Serving(loops, AnyDispatch.serve(Serving.free(loops).through(tls), dispatch, limits, app));
    }

    private static Serving serve(HttpHandler app) {
        return serve(TransportKind.NIO, Dispatch.loop(), Tls.server(IDENTITY), app);
    }

    private static String url(Serving serving, String path) {
        return serving.url(path).replace("http:", "https:");
    }

    private static Asking trusting() {
        var limits = HttpLimits.standard().bodyBytes(2L * LARGE_BYTES);
        return Asking.start(setup -> setup.tls(TRUSTING).limits(limits));
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void bodies_of_any_size_go_both_ways_on_one_connection(TransportKind transport) throws IOException {
        HttpHandler echo = Http.whole(8 << 20, request -> Response.ok(request.text()));
        var body = "x".repeat(LARGE_BYTES);
        try (var serving = serve(transport, Dispatch.virtual(), Tls.server(IDENTITY), echo);
                var asking = trusting()) {
            for (int i = 0; i < 3; i++) {
                var small = Request.post(url(serving, "/"), Bytes.utf8("hello"));
                assertEquals("hello", asking.client().send(small).text());
                var large = Request.post(url(serving, "/"), Bytes.utf8(body));
                assertEquals(body, asking.client().send(large).text());
            }
            assertEquals(1, asking.connections());
        }
    }

    @Test
    void a_response_is_read_as_it_arrives() throws IOException {
        try (var serving = serve(_ -> Response.ok("x".repeat(LARGE_BYTES)));
                var asking = trusting()) {
            long bytes = asking.client().send(Request.get(url(serving, "/")), (_, in) -> in.readAllBytes().length);
            assertEquals(LARGE_BYTES, bytes);
        }
    }

    @Test
    void an_address_that_the_certificate_names_is_a_host() throws IOException {
        try (var serving = serve(_ -> Response.ok("hello"));
                var asking = trusting()) {
            assertEquals(
                    "hello",
                    asking.get("https://127.0.0.1:" + serving.server().port() + "/")
                            .text());
        }
    }

    @Test
    void who_nobody_vouches_for_is_not_asked() throws Exception {
        try (var serving = serve(_ -> Response.ok("hello"));
                var asking = Asking.start()) {
            assertThrows(TlsError.class, () -> asking.get(url(serving, "/")));
            var later =
                    asking.client().sendAsync(Request.get(url(serving, "/"))).toCompletableFuture();
            var thrown = assertThrows(ExecutionException.class, () -> later.get(10, TimeUnit.SECONDS));
            assertInstanceOf(TlsError.class, thrown.getCause());
        }
    }

    @Test
    void a_certificate_for_somebody_else_is_not_good_enough() throws IOException {
        var other = TlsIdentity.selfSigned("other.example");
        try (var serving = serve(TransportKind.NIO, Dispatch.loop(), Tls.server(other), _ -> Response.ok("hello"));
                var asking = Asking.start(setup -> setup.tls(Tls.client().trusting(other.chain())))) {
            assertThrows(TlsError.class, () -> asking.get(url(serving, "/")));
        }
    }

    @Test
    void a_server_without_tls_is_an_error() throws IOException {
        try (var serving = Serving.Kind.NIO_LOOP.serve(_ -> Response.ok("hello"));
                var asking = trusting()) {
            assertThrows(IOException.class, () -> asking.get(url(serving, "/")));
        }
    }

    @Test
    void a_handler_sees_tls_and_who_the_client_is() throws IOException {
        var client = TlsIdentity.selfSigned("client.example");
        HttpHandler app = request -> {
            var security = request.security().orElseThrow();
            var copy = request.addHeader("X", "y");
            assertTrue(copy.isSecure() && copy.security().equals(request.security()));
            return Response.ok(request.isSecure() + " " + security.protocol() + " "
                    + security.serverName().orElse("-") + " "
                    + security.peerCertificates().getFirst().getSubjectX500Principal());
        };
        var tls = Tls.server(IDENTITY).requiring(client.chain());
        try (var serving = serve(TransportKind.NIO, Dispatch.virtual(), tls, app);
                var asking = Asking.start(setup -> setup.tls(TRUSTING.as(client)))) {
            var asked = asking.get("https://localhost:" + serving.server().port() + "/");
            assertEquals("true TLSv1.3 localhost CN=client.example", asked.text());
        }
    }

    @Test
    void without_tls_there_is_nothing_to_see() throws IOException {
        HttpHandler app = request -> Response.ok(request.isSecure() + " " + request.security());
        try (var serving = Serving.Kind.NIO_LOOP.serve(app);
                var asking = Asking.start()) {
            assertEquals("false Optional.empty", asking.get(serving.url("/")).text());
        }
    }

    @Test
    void a_redirect_leads_from_http_to_https() throws IOException {
        try (var secure = serve(request -> Response.ok("there " + request.header("Cookie")));
                var open = Serving.Kind.NIO_LOOP.serve(_ -> Response.redirect(url(secure, "/there")));
                var asking = Asking.start(setup -> setup.tls(TRUSTING).redirects(1))) {
            var request = Request.get(open.url("/")).addHeader("Cookie", "a=b");
            assertEquals("there Optional.empty", asking.client().send(request).text());
        }
    }

    @Test
    void a_redirect_does_not_lead_from_https_to_http() throws IOException {
        try (var open = Serving.Kind.NIO_LOOP.serve(_ -> Response.ok("there"));
                var secure = serve(_ -> Response.redirect(open.url("/there")));
                var asking = Asking.start(setup -> setup.tls(TRUSTING).redirects(1))) {
            assertEquals(302, asking.get(url(secure, "/")).status());
        }
    }

    @Test
    void cookies_come_back_over_tls_alone() throws IOException {
        HttpHandler app = _ -> Cookie.of("a", "b")
                .addTo(Response.ok("")
                        .addHeader("Set-Cookie", "c=d; Path=/; secure")
                        .addHeader("Set-Cookie", "e=secure"));
        try (var secure = serve(app);
                var open = Serving.Kind.NIO_LOOP.serve(app);
                var asking = trusting()) {
            var cookies = asking.get(url(secure, "/")).headers().all("Set-Cookie");
            assertEquals("c=d; Path=/; secure", cookies.get(0));
            assertEquals("e=secure; Secure", cookies.get(1));
            assertEquals("a=b; Path=/; HttpOnly; SameSite=Lax; Secure", cookies.get(2));
            var others = asking.get(open.url("/")).headers().all("Set-Cookie");
            assertEquals("a=b; Path=/; HttpOnly; SameSite=Lax", others.get(2));
        }
    }
}
