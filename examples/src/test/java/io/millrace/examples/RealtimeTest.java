package io.millrace.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.HttpHandler;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.http.websocket.BlockingWebSocket;
import io.millrace.testing.HeadlessBrowser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What docs/guide-realtime.md shows, with its pages in a browser: two of them in frames of a third, which does what
/// people would.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealtimeTest {
    private static final Pattern PAGE =
            Pattern.compile("^```(?:html|js)\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

    private static final String HERE = "{\"kind\":\"Here\",\"users\":[%s]}";
    private static final String SEEN = "{\"kind\":\"Seen\",\"user\":\"%s\",\"isHere\":true}";
    private static final String SAID = "{\"kind\":\"Said\",\"from\":\"ann\",\"said\":\"%s\"}";

    @TempDir
    private Path folder;

    /// What the page with the frames tells in the end.
    private String told(HttpHandler app, String script) throws Exception {
        var told = new CompletableFuture<String>();
        var frames = """
                <!doctype html>
                <iframe src="/"></iframe><iframe src="/"></iframe>
                <script type="module">
                  const until = async isSo => { while (!isSo()) await new Promise(next => setTimeout(next, 20)); };
                  const pages = [...document.querySelectorAll("iframe")];
                  const of = (page, id) => pages[page].contentDocument.getElementById(id);
                  const lines = page => [...of(page, "said").children].map(line => line.textContent);
                  const type = (page, id, text) => { of(page, id).value = text; };
                  const tell = text => fetch("/told?text=" + encodeURIComponent(text));
                  await until(() => pages.every(page => page.contentDocument.readyState === "complete"
                      && page.contentDocument.getElementById("said")));
                  %s
                </script>
                """.formatted(script);
        var routes = Routes.of()
                .get("/frames", _ -> Response.html(frames))
                .get("/told", request -> {
                    told.complete(request.parameter("text").orElseThrow());
                    return Response.status(204);
                })
                .otherwise(app);
        var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (var server = Http.listen(on, routes)) {
            var url = "http://localhost:" + server.port() + "/frames";
            var options = List.of("--remote-debugging-port=0", url);
            var browser = HeadlessBrowser.of(HeadlessBrowser.installed("a page of an example"), folder, options)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return told.get(60, TimeUnit.SECONDS);
            } finally {
                HeadlessBrowser.end(browser);
            }
        }
    }

    @Test
    @Tag("slow")
    void what_one_page_shouts_both_show() throws Exception {
        var script = """
                  await until(() => pages.every(page => page.contentWindow.eval("socket.readyState") === WebSocket.OPEN));
                  type(0, "say", "hello");
                  of(0, "say").dispatchEvent(new Event("change"));
                  await until(() => lines(0).length > 0 && lines(1).length > 0);
                  tell(lines(0) + " and " + lines(1));
                """;
        assertEquals("hello and hello", told(new Shout()::handle, script));
    }

    @Test
    @Tag("slow")
    void people_in_a_room_see_who_is_there_and_what_was_said() throws Exception {
        var script = """
                  const submit = (page, id) => of(page, id).requestSubmit();
                  const enter = (page, name) => { type(page, "user", name); submit(page, "door"); };
                  enter(0, "ann");
                  await until(() => of(0, "here").textContent === "ann");
                  type(0, "say", "is anybody there?");
                  submit(0, "speech");
                  await until(() => lines(0).length === 2);
                  enter(1, "bob");
                  await until(() => of(0, "here").textContent === "ann, bob" && of(1, "here").textContent === "ann, bob");
                  type(1, "say", "me");
                  submit(1, "speech");
                  await until(() => lines(0).length === 4 && lines(1).length === 3);
                  const later = lines(0).slice(1).join() === lines(1).join();
                  const seen = later ? lines(0).join("; ") : "not the same";
                  pages[0].remove();
                  pages.shift();
                  await until(() => of(0, "here").textContent === "bob");
                  tell(seen + "; " + lines(0).at(-1));
                """;
        var expected = "ann is here; ann: is anybody there?; bob is here; bob: me; ann has left";
        assertEquals(expected, told(new ChatRooms().routes(), script));
    }

    @Test
    void who_comes_later_reads_what_was_said_and_not_who_came() throws Exception {
        var on = Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (var server = Http.listen(on, new ChatRooms().routes());
                var client = HttpClient.create();
                var ann = enter(client, server, "ann")) {
            assertEquals(HERE.formatted(""), ann.receive());
            assertEquals(SEEN.formatted("ann"), ann.receive());
            ann.send("hello");
            assertEquals(SAID.formatted("hello"), ann.receive());
            try (var bob = enter(client, server, "bob")) {
                assertEquals(SAID.formatted("hello"), bob.receive());
                assertEquals(HERE.formatted("\"ann\""), bob.receive());
                assertEquals(SEEN.formatted("bob"), bob.receive());
            }
        }
    }

    private static BlockingWebSocket enter(HttpClient client, Server server, String user) throws IOException {
        return BlockingWebSocket.connect(client, "ws://localhost:" + server.port() + "/rooms/1?as=" + user);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shout.html", "chat.js"})
    void the_guide_shows_the_page_as_it_is(String page) throws IOException {
        var shown = PAGE.matcher(Files.readString(Path.of("..", "docs", "guide-realtime.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertEquals(
                List.of(Page.of(page)),
                shown.stream().filter(Page.of(page)::equals).toList());
    }
}
