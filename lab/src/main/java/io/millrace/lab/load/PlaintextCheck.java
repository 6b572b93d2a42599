package io.millrace.lab.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/// Whether a server answers the request of the HTTP workloads with all that belongs to it. The JDK's client asks, so
/// that our own reading of HTTP is not the only judge.
final class PlaintextCheck {
    static final String TARGET = "/plaintext";

    private static final int OK = 200;
    private static final String HELLO = "Hello, World!";
    private static final List<String> FIELDS = List.of("Server", "Date", "Content-Length");

    private PlaintextCheck() {}

    /// Asks once.
    ///
    /// @param patience for the whole of it
    /// @throws IOException with a sentence, when the response is not right or does not come
    static void run(InetSocketAddress server, Duration patience) throws IOException, InterruptedException {
        var builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        try (var client = builder.connectTimeout(patience).build()) {
            var request = HttpRequest.newBuilder(URI.create("http://" + authority(server) + TARGET))
                    .timeout(patience);
            judge(client.send(request.build(), BodyHandlers.ofString()));
        }
    }

    /// As it stands in a URL and in the field `Host`.
    static String authority(InetSocketAddress server) {
        var host = server.getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort();
    }

    private static void judge(HttpResponse<String> response) throws IOException {
        require(response.statusCode() == OK, "has status " + response.statusCode() + " instead of " + OK);
        require(
                response.body().equals(HELLO),
                "has a body of " + response.body().length() + " characters that is not \"" + HELLO + "\"");
        for (var name : FIELDS) {
            require(response.headers().firstValue(name).isPresent(), "has no field " + name);
        }
        var type = response.headers().firstValue("Content-Type").orElse("");
        require(type.startsWith("text/plain"), "is of the type '" + type + "' instead of text/plain");
    }

    private static void require(boolean isSo, String otherwise) throws IOException {
        if (!isSo) throw new IOException("the response to GET " + TARGET + " " + otherwise);
    }
}
