package io.millrace.cli;

import io.millrace.http.EventStream;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.lab.load.LoadProgress;
import io.millrace.lab.load.LoadWatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A page for browsers that shows how the demo is doing, and the events that it lives on.
final class DemoPage implements HttpHandler, LoadWatch {
    private final Response page =
            Response.html(html()).header("Content-Security-Policy", "default-src 'self' 'unsafe-inline'");
    private final Set<EventStream> watchers = ConcurrentHashMap.newKeySet();

    private static String html() {
        try (var file = DemoPage.class.getResourceAsStream("demo.html")) {
            if (file == null) throw new IllegalStateException("demo.html is not part of this build");
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Response handle(Request request) {
        return switch (request.path()) {
            case "/" -> page;
            case "/figures" -> Response.events(this::watch);
            default -> Response.status(404);
        };
    }

    private void watch(EventStream stream) {
        watchers.add(stream);
        stream.onClose(() -> watchers.remove(stream));
    }

    @Override
    public void second(LoadProgress progress) {
        var figures = String.format(
                Locale.ROOT,
                "{\"seconds\":%.1f,\"messagesPerSecond\":%.1f,\"p50Micros\":%.1f,\"p99Micros\":%.1f,\"errors\":%d}",
                progress.seconds(),
                progress.messagesPerSecond(),
                progress.p50Micros(),
                progress.p99Micros(),
                progress.errors());
        for (var stream : watchers) if (!stream.isFull()) stream.send(figures);
    }
}
