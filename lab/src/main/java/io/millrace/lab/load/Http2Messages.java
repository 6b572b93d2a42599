package io.millrace.lab.load;

import java.util.List;
import java.util.Locale;

/// Requests in HTTP/2, each in a stream of its own: the depth of a load is how many streams a connection has at once.
/// Made with [HttpMessages#overHttp2].
///
/// @param requests and the expected responses
/// @param scheme   of the URL, `http` or `https`
public record Http2Messages(HttpMessages requests, String scheme) implements LoadMessages {
    /// About a connection of HTTP/1.1 (RFC 9113 section 8.2.2).
    private static final List<String> OF_HTTP_1 =
            List.of("connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade");

    /// @throws IllegalArgumentException with a sentence, for requests that HTTP/2 cannot carry
    public Http2Messages {
        if (requests.isClosing())
            throw new IllegalArgumentException("HTTP/2 has no field that closes a connection behind its response: leave"
                    + " --close out, or use HTTP/1.1");
        requests.headers().forEach((name, _) -> {
            if (OF_HTTP_1.contains(name.toLowerCase(Locale.ROOT)))
                throw new IllegalArgumentException("HTTP/2 has no field " + name + ": leave it out, or use HTTP/1.1");
        });
        new RequestFrames(requests, scheme);
    }

    /// Of a request as it is repeated.
    int requestBytes() {
        return new RequestFrames(requests, scheme).again().length
                + requests.body().length();
    }
}
