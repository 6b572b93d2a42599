package io.millrace.lab.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;

/// Whether a page arrives as it is, and its head alone when that is what is asked for; each more than once, so that
/// what serves it has to find the ends of messages. The JDK's client asks.
final class PageCheck {
    private static final int OK = 200;
    private static final int TIMES = 3;

    private PageCheck() {}

    /// @param patience for each request
    /// @throws IOException with a sentence, when a response is not right or does not come
    static void run(InetSocketAddress server, int sizeBytes, Duration patience)
            throws IOException, InterruptedException {
        var target = Page.target(sizeBytes);
        var uri = URI.create("http://" + PlaintextCheck.authority(server) + target);
        var expected = Page.content(sizeBytes);
        var builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        try (var client = builder.connectTimeout(patience).build()) {
            var request = HttpRequest.newBuilder(uri).timeout(patience);
            for (int i = 0; i < TIMES; i++) {
                var whole = client.send(request.GET().build(), BodyHandlers.ofByteArray());
                judge("GET " + target, whole, expected);
                var head = client.send(request.HEAD().build(), BodyHandlers.ofByteArray());
                judge("HEAD " + target, head, new byte[0]);
                judgeLength("HEAD " + target, head, sizeBytes);
            }
        }
    }

    private static void judge(String what, HttpResponse<byte[]> response, byte[] expected) throws IOException {
        require(response.statusCode() == OK, what, "has status " + response.statusCode() + " instead of " + OK);
        int length = response.body().length;
        require(length == expected.length, what, "has a body of " + length + " bytes instead of " + expected.length);
        int wrong = Arrays.mismatch(response.body(), expected);
        require(wrong < 0, what, "is wrong from byte " + wrong);
    }

    private static void judgeLength(String what, HttpResponse<byte[]> response, int sizeBytes) throws IOException {
        var length = response.headers().firstValue("Content-Length").orElse("none");
        require(length.equals(Integer.toString(sizeBytes)), what, "has the Content-Length " + length);
    }

    private static void require(boolean isSo, String what, String otherwise) throws IOException {
        if (!isSo) throw new IOException("the response to " + what + " " + otherwise);
    }
}
