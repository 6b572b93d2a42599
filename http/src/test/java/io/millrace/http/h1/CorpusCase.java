package io.millrace.http.h1;

import io.millrace.http.fuzz.Escaped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A file below `src/test/resources/http1`: what somebody sends, and what a strict server makes of it.
///
/// @param statuses of the responses, in their order
/// @param closes whether the server closes the connection behind the last one
/// @param ends whether the peer ends behind the bytes
/// @param paths that the handler sees; empty where they do not matter
/// @param body that the handler sees in the last request it is called for; null where it does not matter
@SuppressWarnings("ArrayRecordComponent") // nobody changes them
record CorpusCase(
        String name,
        List<Integer> statuses,
        boolean closes,
        boolean ends,
        List<String> paths,
        byte @Nullable [] body,
        byte[] bytes) {
    private static final Path ROOT = Path.of("src/test/resources/http1");

    /// The most that a handler of the corpus gets.
    static final int MOST_BODY = 65536;

    static List<CorpusCase> all() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".http"))
                    .sorted()
                    .map(CorpusCase::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CorpusCase read(Path file) {
        try {
            var text = Files.readString(file, StandardCharsets.US_ASCII);
            int mark = text.indexOf("---\n");
            Map<String, String> about = new HashMap<>();
            for (var line : text.substring(0, mark).split("\n", -1)) {
                int colon = line.indexOf(':');
                if (colon > 0)
                    about.put(
                            line.substring(0, colon), line.substring(colon + 1).strip());
            }
            var body = about.get("body");
            return new CorpusCase(
                    ROOT.relativize(file).toString(),
                    words(about.getOrDefault("status", "?")).stream()
                            .map(Integer::valueOf)
                            .toList(),
                    about.getOrDefault("connection", "?").equals("close"),
                    about.getOrDefault("end", "no").equals("yes"),
                    words(about.getOrDefault("paths", "")),
                    body == null ? null : Escaped.bytes(body),
                    Escaped.bytes(text.substring(mark + 4).replace("\n", "")));
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(" ", -1));
    }

    @Override
    public String toString() {
        return name;
    }
}
