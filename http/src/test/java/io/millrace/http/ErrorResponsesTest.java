package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.server.Http;
import io.millrace.sim.Peer;
import io.millrace.sim.Simulation;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One hook makes the bodies of all errors, wherever they come from.
class ErrorResponsesTest {
    private static final ErrorResponses PROBLEMS = (error, request, cause) -> Response.of(
            error.status(),
            "application/problem+json",
            "{" + error.status() + " " + request.map(Request::path).orElse("-") + " "
                    + cause.map(Throwable::getMessage).orElse("-") + "}");

    private static final HttpHandler APP = Routes.of()
            .get("/", _ -> Response.ok("fine"))
            .get("/mine", _ -> Response.of(404, "text/plain", "mine"))
            .get("/refused", _ -> {
                throw new HttpError(422, "no name");
            })
            .get("/broken", _ -> {
                throw new IllegalStateException("secret");
            })
            .get("/later", _ -> Response.later(CompletableFuture.failedFuture(new HttpError(409, "late"))))
            .post("/body", Http.whole(2, _ -> Response.ok("?")));

    private static String answer(ErrorResponses errors, String request) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), HttpSettings.standard().errors(errors), APP)) {
            Peer peer = network.connect(80).send(request.replace("|", "\r\n"));
            network.run();
            return peer.received();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /refused HTTP/1.1|Host: a||, {422 /refused no name}",
        "GET /broken HTTP/1.1|Host: a||, {500 /broken secret}",
        "GET /later HTTP/1.1|Host: a||, {409 /later late}",
        "GET /unknown HTTP/1.1|Host: a||, {404 /unknown -}",
        "DELETE / HTTP/1.1|Host: a||, {405 / -}",
        "POST /body HTTP/1.1|Host: a|Content-Length: 3||abc, {413 /body -}",
        "GET /%zz HTTP/1.1|Host: a||, {400 - -}",
        "nonsense||, {400 - -}",
        "CONNECT a:1 HTTP/1.1|Host: a:1||, {404 a:1 -}"
    })
    void every_error_looks_as_the_hook_says(String request, String body) {
        var answer = answer(PROBLEMS, request);
        assertTrue(answer.endsWith("\r\n\r\n" + body), answer);
        assertTrue(answer.contains("Content-Type: application/problem+json\r\n"), answer);
        assertTrue(answer.startsWith("HTTP/1.1 " + body.substring(1, 4)), answer);
    }

    @Test
    void what_a_handler_has_given_a_body_stays() {
        assertTrue(answer(PROBLEMS, "GET /mine HTTP/1.1|Host: a||").endsWith("\r\n\r\nmine"));
        assertTrue(answer(PROBLEMS, "GET / HTTP/1.1|Host: a||").endsWith("\r\n\r\nfine"));
    }

    @Test
    void fields_of_an_error_go_with_it() {
        assertTrue(answer(PROBLEMS, "DELETE / HTTP/1.1|Host: a||").contains("Allow: GET, HEAD, OPTIONS\r\n"));
        assertTrue(answer(PROBLEMS, "nonsense||").contains("Connection: close\r\n"));
    }

    @Test
    void a_hook_that_fails_leaves_the_phrase() {
        for (ErrorResponses failing : new ErrorResponses[] {
            (_, _, _) -> {
                throw new IllegalStateException("on purpose");
            },
            (_, _, _) -> Response.later(new CompletableFuture<>())
        }) {
            assertTrue(answer(failing, "GET /x HTTP/1.1|Host: a||").endsWith("\r\n\r\nNot Found\n"));
        }
    }

    // Attributes.

    private static final Attribute<Integer> NUMBER = Attribute.named("number");

    @Test
    void a_filter_tells_the_handlers_behind_it() throws Exception {
        HttpFilter count = next -> request ->
                next.handle(request.with(NUMBER, request.attribute(NUMBER).orElse(0) + 1));
        HttpHandler app = count.around(count.around(request ->
                Response.ok(request.setHeader("X-A", "b").attribute(NUMBER).orElseThrow() + " " + request.text())));
        assertEquals("2 ", app.handle(Request.get("/")).text());
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), Http.whole(10, app))) {
            var peer = network.connect(80).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
            network.run();
            assertTrue(peer.received().endsWith("\r\n\r\n2 hi"), peer::received);
        }
    }
}
