package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.stream.Stream;

/// Sends requests to all of the programs, with the JDK's client, which is not one of those compared.
final class Browser implements AutoCloseable {
    private static final int MUCH = 1 << 20;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final String uri;

    /// @param uri in front of each path
    Browser(String uri) {
        this.uri = uri;
    }

    /// @param fields names and values, in turn
    HttpResponse<String> send(String method, String path, String body, String... fields) {
        try {
            return client.send(request(method, path, body, fields), BodyHandlers.ofString(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> get(String path, String... fields) {
        return send("GET", path, "", fields);
    }

    HttpResponse<String> sendJson(String method, String path, String json) {
        return send(method, path, json, "Content-Type", "application/json", "Accept", "application/json");
    }

    /// The lines of events, as they arrive, as for an `EventSource`.
    HttpResponse<Stream<String>> events(String path) throws IOException, InterruptedException {
        return client.send(request("GET", path, "", "Accept", "text/event-stream"), BodyHandlers.ofLines());
    }

    private HttpRequest request(String method, String path, String body, String... fields) {
        var publisher = body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(uri + path)).method(method, publisher);
        if (fields.length > 0) request.headers(fields);
        // A server that refuses a long body need not read it, and this client fails if it cannot write all of it.
        request.expectContinue(body.length() > MUCH);
        return request.timeout(Duration.ofSeconds(30)).build();
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
