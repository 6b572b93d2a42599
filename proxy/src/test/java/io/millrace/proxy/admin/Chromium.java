package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.testing.HeadlessBrowser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A headless Chromium with one page, told what to do by its own protocol (Chrome DevTools Protocol), so that time
/// goes on in it as it does for people.
public final class Chromium implements AutoCloseable {
    private static final String LISTENING = "DevTools listening on ";
    private static final long PATIENCE_SECONDS = 30;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger number = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private String session = "";

    /// What the page asked for.
    final List<String> requests = new CopyOnWriteArrayList<>();

    /// What the page complained of.
    final List<String> complaints = new CopyOnWriteArrayList<>();

    private Chromium(Process process, URI browser) {
        this.process = process;
        this.socket =
                client.newWebSocketBuilder().buildAsync(browser, new Listener()).join();
    }

    /// Skips the test where there is none, but not in CI.
    ///
    /// @param folder where the browser keeps all it writes
    /// @param more options
    public static Chromium start(Path folder, String... more) throws Exception {
        var program = HeadlessBrowser.installed("a page of the proxy");
        var options = new ArrayList<>(List.of("--remote-debugging-port=0"));
        options.addAll(List.of(more));
        options.add("about:blank");
        var process = HeadlessBrowser.of(program, folder, options)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            var chromium = new Chromium(process, browser(process));
            chromium.attach();
            return chromium;
        } catch (Exception | Error e) {
            HeadlessBrowser.end(process);
            throw e;
        }
    }

    /// It says on its log where it listens; what it says then is read by nobody, but has to be taken from it.
    private static URI browser(Process process) throws IOException {
        var log = process.errorReader();
        var said = new StringBuilder();
        for (var line = log.readLine(); line != null; line = log.readLine()) {
            if (line.startsWith(LISTENING)) {
                Thread.ofVirtual().start(() -> drain(log));
                return URI.create(line.substring(LISTENING.length()));
            }
            said.append(line).append('\n');
        }
        throw new AssertionError("the browser ended: " + said);
    }

    private static void drain(BufferedReader log) {
        log.lines().forEach(_ -> {});
    }

    private void attach() throws Exception {
        var target = call("Target.createTarget", Map.of("url", "about:blank")).get("targetId");
        var attached = call("Target.attachToTarget", Map.of("targetId", target.asText(), "flatten", true));
        session = attached.get("sessionId").asText();
        for (var domain : List.of("Network", "Runtime", "Log", "Page")) call(domain + ".enable", Map.of());
    }

    /// A page in a window of this width, with or without a taste for the dark.
    public void open(URI page, int width, boolean isDark) throws Exception {
        requests.clear();
        complaints.clear();
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", width < 600));
        var scheme = Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light");
        call("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
        call("Page.navigate", Map.of("url", page.toString()));
    }

    /// What an expression of JavaScript comes to, as JSON.
    public JsonNode value(String expression) throws Exception {
        var result = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "awaitPromise", true, "userGesture", true));
        assertTrue(!result.has("exceptionDetails"), () -> expression + ": " + result);
        return result.get("result").path("value");
    }

    /// Waits until an expression has become true; one that fails is not.
    public void await(String expression) throws Exception {
        var look = "(() => { try { return !!(" + expression + ") } catch { return false } })()";
        for (int seconds = 0; !mayBe(look); seconds++) {
            assertTrue(seconds < PATIENCE_SECONDS, () -> expression + " does not become true; " + complaints);
        }
    }

    /// Looks for a second.
    private boolean mayBe(String look) throws Exception {
        try {
            return value("new Promise(done => { const again = left => " + look
                            + " ? done(true) : left ? setTimeout(again, 50, left - 1) : done(false); again(20); })")
                    .asBoolean();
        } catch (IOException _) {
            // The page has changed meanwhile.
            return false;
        }
    }

    /// A key, and what Windows calls it, by which browsers go.
    enum Press {
        TAB("Tab", 9, ""),
        ENTER("Enter", 13, "\r"),
        ESCAPE("Escape", 27, ""),
        LEFT("ArrowLeft", 37, "");

        private final String key;
        private final int code;

        /// What it types.
        private final String text;

        Press(String key, int code, String text) {
            this.key = key;
            this.code = code;
            this.text = text;
        }
    }

    /// Presses a key and lets it go.
    void press(Press which) throws Exception {
        for (var type : List.of("keyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    Map.of("type", type, "key", which.key, "windowsVirtualKeyCode", which.code, "text", which.text));
        }
    }

    /// Types a text where the focus is.
    void type(String text) throws Exception {
        call("Input.insertText", Map.of("text", text));
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = number.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        waiting.put(id, answer);
        var call = JSON.createObjectNode().put("id", id).put("method", method);
        if (!session.isEmpty()) call.put("sessionId", session);
        call.set("params", JSON.valueToTree(parameters));
        socket.sendText(call.toString(), true).join();
        var got = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (got.has("error")) throw new IOException(method + ": " + got);
        return got.get("result");
    }

    private void heard(JsonNode message) {
        if (message.has("id")) {
            Objects.requireNonNull(waiting.remove(message.get("id").asInt())).complete(message);
            return;
        }
        var about = message.path("params");
        switch (message.path("method").asText()) {
            case "Network.requestWillBeSent" ->
                requests.add(about.path("request").path("url").asText());
            case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled" ->
                complaints.add(about.toString());
            default -> {}
        }
    }

    /// Puts messages together.
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
            text.append(data);
            from.request(1);
            if (!isLast) return null;
            try {
                heard(JSON.readTree(text.toString()));
            } catch (IOException e) {
                complaints.add(e.toString());
            }
            text.setLength(0);
            return null;
        }
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
        HeadlessBrowser.end(process);
    }
}
