package io.millrace.http.fuzz;

import io.millrace.http.FuzzCookies;
import io.millrace.http.FuzzMultipart;
import io.millrace.http.coding.FuzzCoding;
import io.millrace.http.h1.FuzzChunked;
import io.millrace.http.h1.FuzzOutgoing;
import io.millrace.http.h1.FuzzRequest;
import io.millrace.http.h1.FuzzResponse;
import io.millrace.http.h2.FuzzFrames;
import io.millrace.http.h2.FuzzHpack;
import io.millrace.http.h2.FuzzServerFrames;
import io.millrace.http.message.FuzzFields;
import io.millrace.http.ws.FuzzWebSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What is given random bytes, and what the randomness begins with: the lines of `src/test/resources/fuzz/NAME.txt`,
/// escaped as [Escaped] reads them, and the corpus of requests. What was found once is a line there, or a case
/// of the corpus.
@SuppressWarnings("ImmutableEnumChecker") // a static method each
enum Targets {
    REQUEST(FuzzRequest.class, FuzzRequest::fuzzerTestOneInput),
    RESPONSE(FuzzResponse.class, FuzzResponse::fuzzerTestOneInput),
    CHUNKED(FuzzChunked.class, FuzzChunked::fuzzerTestOneInput),
    MULTIPART(FuzzMultipart.class, FuzzMultipart::fuzzerTestOneInput),
    CODING(FuzzCoding.class, FuzzCoding::fuzzerTestOneInput),
    COOKIES(FuzzCookies.class, FuzzCookies::fuzzerTestOneInput),
    FIELDS(FuzzFields.class, FuzzFields::fuzzerTestOneInput),
    OUTGOING(FuzzOutgoing.class, FuzzOutgoing::fuzzerTestOneInput),
    HPACK(FuzzHpack.class, FuzzHpack::fuzzerTestOneInput),
    FRAMES(FuzzFrames.class, FuzzFrames::fuzzerTestOneInput),
    SERVER_FRAMES(FuzzServerFrames.class, FuzzServerFrames::fuzzerTestOneInput),
    WEBSOCKET(FuzzWebSocket.class, FuzzWebSocket::fuzzerTestOneInput);

    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final int MOST_BYTES = 4096;

    interface Target {
        void take(byte[] input) throws Exception;
    }

    /// Where the method is.
    final Class<?> type;

    final Target target;

    Targets(Class<?> type, Target target) {
        this.type = type;
        this.target = target;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<byte[]> seeds() throws IOException {
        var seeds = new ArrayList<byte[]>();
        try (var lines = Files.lines(RESOURCES.resolve("fuzz/" + label() + ".txt"))) {
            lines.filter(line -> !line.startsWith("#")).map(Escaped::bytes).forEach(seeds::add);
        }
        if (this == REQUEST) seeds.addAll(corpus());
        if (this == CHUNKED) corpus().stream().map(Targets::behindHead).forEach(seeds::add);
        return seeds.stream().filter(seed -> seed.length <= MOST_BYTES).toList();
    }

    private static List<byte[]> corpus() throws IOException {
        try (var files = Files.walk(RESOURCES.resolve("http1"))) {
            return files.filter(file -> file.toString().endsWith(".http"))
                    .sorted()
                    .map(Targets::request)
                    .toList();
        }
    }

    private static byte[] request(Path file) {
        try {
            var text = Files.readString(file, StandardCharsets.US_ASCII);
            return Escaped.bytes(text.substring(text.indexOf("---\n") + 4).replace("\n", ""));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static byte[] behindHead(byte[] request) {
        var text = new String(request, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        return text.substring(end < 0 ? 0 : end + 4).getBytes(StandardCharsets.ISO_8859_1);
    }
}
