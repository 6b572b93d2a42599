package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Output;
import io.millrace.http.BodyWriter;
import io.millrace.http.HttpError;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorPagesTest {
    @TempDir
    Path directory;

    Path folder;
    ErrorPages pages;

    @BeforeEach
    void there_are_pages() throws IOException {
        folder = Files.createDirectory(directory.resolve("errors"));
        for (var name : new String[] {"404.html", "50x.txt"}) Files.writeString(folder.resolve(name), "page " + name);
        pages = ErrorPages.in(folder).pages(500, 599, "/50x.txt").page(404, "/404.html");
    }

    private Response filtered(ErrorPages by, Response response) throws Exception {
        return by.around(_ -> response).handle(Request.get("/"));
    }

    private String answer(HttpSettings settings, HttpHandler app, String request) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(80), settings, app)) {
            var peer = network.connect(80).send(request.replace("|", "\r\n"));
            network.run();
            return peer.received();
        }
    }

    // As a filter.

    @Test
    void an_error_without_a_body_gets_the_page_and_keeps_status_and_fields() throws Exception {
        var response = filtered(
                pages, Response.status(503).setHeader("Retry-After", "1").setHeader("ETag", "\"a\""));
        assertEquals("503 page 50x.txt", response.status() + " " + response.text());
        assertEquals(Optional.of("1"), response.header("Retry-After"));
        assertEquals(Optional.of("text/plain; charset=utf-8"), response.header("Content-Type"));
        assertEquals(1, response.headers().all("Content-Type").size());
        assertEquals(Optional.empty(), response.header("ETag"));
        assertEquals("page 404.html", filtered(pages, Response.status(404)).text());
    }

    @Test
    void other_statuses_stay_as_they_are() throws Exception {
        for (int status : new int[] {200, 304, 403}) {
            var response = Response.status(status);
            assertEquals(response, filtered(pages.interceptErrors(true), response));
        }
    }

    @Test
    void a_body_of_the_handler_is_replaced_only_when_it_is_intercepted() throws Exception {
        var mine = Response.of(404, "application/json", "{}")
                .setHeader("Content-Language", "en")
                .setHeader("Set-Cookie", "a=b");
        assertEquals(mine, filtered(pages, mine));
        var replaced = filtered(pages.interceptErrors(true), mine);
        assertEquals("404 page 404.html", replaced.status() + " " + replaced.text());
        assertEquals(Optional.of("text/html; charset=utf-8"), replaced.header("Content-Type"));
        assertEquals(Optional.empty(), replaced.header("Content-Language"));
        assertEquals(Optional.of("a=b"), replaced.header("Set-Cookie"));
    }

    @Test
    void a_stream_that_is_replaced_is_closed() throws Exception {
        var closed = new AtomicInteger();
        var stream = Response.stream(500, new BodyWriter() {
            @Override
            public boolean write(Output out) {
                throw new AssertionError("nobody takes it");
            }

            @Override
            public void onClose() {
                closed.incrementAndGet();
            }
        });
        assertEquals(
                "page 50x.txt", filtered(pages.interceptErrors(true), stream).text());
        assertEquals(1, closed.get());
    }

    @ParameterizedTest
    @CsvSource({"/thrown, 500, page 50x.txt", "/late, 404, page 404.html", "/mine, 404, mine"})
    void exceptions_and_late_responses_get_pages_too(String path, int status, String text) {
        HttpHandler app = Routes.of()
                .get("/thrown", _ -> {
                    throw new HttpError(500, "");
                })
                .get("/late", _ -> Response.later(CompletableFuture.completedFuture(Response.status(404))))
                .get("/mine", _ -> Response.of(404, "text/plain", "mine"));
        var answer = answer(HttpSettings.standard(), pages.around(app), "GET " + path + " HTTP/1.1|Host: a||");
        assertTrue(answer.startsWith("HTTP/1.1 " + status) && answer.endsWith("\r\n\r\n" + text), answer);
    }

    // As the hook of a server.

    @ParameterizedTest
    @CsvSource({
        "GET /unknown HTTP/1.1|Host: a||, page 404.html",
        "GET / HTTP/1.1|Host: a||, page 50x.txt",
        "GET / HTTP/9.9||, page 50x.txt"
    })
    void every_error_of_a_server_gets_its_page(String request, String text) {
        HttpHandler app = Routes.of().get("/", _ -> {
            throw new IllegalStateException("broken on purpose");
        });
        var answer = answer(HttpSettings.standard().errors(pages), app, request);
        assertTrue(answer.endsWith("\r\n\r\n" + text), answer);
    }

    @Test
    void the_response_to_head_has_the_fields_of_the_page() {
        var head = answer(HttpSettings.standard().errors(pages), Routes.of(), "HEAD / HTTP/1.1|Host: a||");
        assertTrue(head.startsWith("HTTP/1.1 404") && head.contains("Content-Length: 13\r\n"), head);
        assertTrue(head.endsWith("\r\n\r\n"), head);
    }

    // Files.

    @Test
    void without_its_file_an_error_stays_plain() throws Exception {
        Files.writeString(directory.resolve("secret"), "secret");
        Files.createSymbolicLink(folder.resolve("link.html"), Path.of("../secret"));
        Files.write(folder.resolve("long.html"), new byte[ErrorPages.MOST_BYTES + 1]);
        for (var path : new String[] {"/none.html", "/link.html", "/long.html"}) {
            var response = filtered(pages.page(404, path), Response.status(404));
            assertEquals(
                    "404 Not Found", response.status() + " " + response.text().strip());
        }
        Files.write(folder.resolve("long.html"), new byte[ErrorPages.MOST_BYTES]);
        assertEquals(
                ErrorPages.MOST_BYTES,
                filtered(pages.page(404, "/long.html"), Response.status(404))
                        .body()
                        .length());
    }

    @Test
    void a_page_is_kept_in_memory() throws Exception {
        Files.delete(folder.resolve("404.html"));
        assertEquals("page 404.html", filtered(pages, Response.status(404)).text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "404.html", "/../secret", "/%2e%2e/secret", "/.hidden", "/a/", "/a%2fb", "/a%0d"})
    void paths_that_are_never_served_are_refused(String path) {
        assertThrows(IllegalArgumentException.class, () -> pages.page(404, path));
    }

    @Test
    void values_that_make_no_sense_are_refused() {
        assertThrows(IllegalArgumentException.class, () -> pages.page(200, "/404.html"));
        assertThrows(IllegalArgumentException.class, () -> pages.pages(599, 500, "/404.html"));
        assertThrows(IllegalArgumentException.class, () -> ErrorPages.in(folder.resolve("none")));
        var many = pages;
        for (int i = 0; i < ErrorPages.MOST_PAGES - 2; i++) many = many.page(400 + i, i == 4 ? "/404.html" : "/" + i);
        var most = many.page(480, "/more");
        assertThrows(IllegalArgumentException.class, () -> most.page(481, "/many"));
    }

    @Test
    void two_with_the_same_settings_and_contents_are_equal() throws Exception {
        var same = ErrorPages.in(folder).pages(500, 599, "/50x.txt").page(404, "/404.html");
        assertEquals(pages, same);
        assertEquals(pages.hashCode(), same.hashCode());
        assertNotEquals(pages, pages.interceptErrors(true));
        Files.writeString(folder.resolve("404.html"), "new");
        assertNotEquals(pages, ErrorPages.in(folder).pages(500, 599, "/50x.txt").page(404, "/404.html"));
        assertEquals(
                Bytes.utf8("page 404.html"),
                filtered(same, Response.status(404)).body());
    }
}
