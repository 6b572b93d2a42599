package io.millrace.lab.load;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpVersion;
import io.millrace.http.Request;
import io.millrace.http.client.ClientSettings;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;

/// A client that asks for a [Judge].
interface JudgedClient extends AutoCloseable {
    /// A response.
    record Judged(int status, HttpHeaders headers, Bytes body) {}

    /// Waits for the response.
    ///
    /// @throws IOException when there is none, or in another version
    Judged ask(HttpRequest request) throws IOException, InterruptedException;

    @Override
    void close();

    /// The JDK's.
    ///
    /// @param version that servers must answer in
    static JudgedClient of(HttpClient client, HttpClient.Version version) {
        return new JudgedClient() {
            @Override
            public Judged ask(HttpRequest request) throws IOException, InterruptedException {
                var response = client.send(request, BodyHandlers.ofByteArray());
                if (response.version() != version)
                    throw new IOException("the server answered in " + response.version() + " instead of " + version);
                return new Judged(response.statusCode(), response.headers(), Bytes.of(response.body()));
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    /// Ours, for HTTP/2 in clear text, which the JDK's does not begin with; for requests without a body.
    static JudgedClient byPriorKnowledge(Duration patience) {
        var settings = ClientSettings.standard().version(HttpVersion.HTTP_2).timeout(patience);
        var client = io.millrace.http.client.HttpClient.of(settings);
        return new JudgedClient() {
            @Override
            public Judged ask(HttpRequest request) throws IOException {
                var asked = Request.of(request.method(), request.uri().toString(), Bytes.EMPTY);
                var response = client.send(asked);
                var fields = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
                var headers = response.headers();
                headers.forEach((name, _) -> fields.put(name, headers.all(name)));
                var all = HttpHeaders.of(fields, (_, _) -> true);
                return new Judged(response.status(), all, response.body());
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }
}
