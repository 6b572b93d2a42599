package io.millrace.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;

/// What somebody sends, from the corpus of the module `http`, and what a strict server makes of it.
///
/// @param statuses of the final responses, in their order
/// @param closes whether the server closes the connection behind the last one
/// @param ends whether the peer ends behind the bytes
@SuppressWarnings("ArrayRecordComponent") // nobody changes them
record HostileRequest(String name, List<Integer> statuses, boolean closes, boolean ends, byte[] bytes) {
    private static final Path ROOT = Path.of("../http/src/test/resources/http1");

    /// Bytes of a body that the corpus takes for too many.
    static final int MOST_BODY = 65536;

    static List<HostileRequest> all() {
        try (var files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".http"))
                    .sorted()
                    .map(HostileRequest::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HostileRequest read(Path file) {
        try {
            var text = Files.readString(file, StandardCharsets.US_ASCII);
            int mark = text.indexOf("---\n");
            var about = new HashMap<String, String>();
            for (var line : text.substring(0, mark).split("\n", -1)) {
                int colon = line.indexOf(':');
                if (colon > 0)
                    about.put(
                            line.substring(0, colon), line.substring(colon + 1).strip());
            }
            var statuses = about.getOrDefault("status", "");
            return new HostileRequest(
                    ROOT.relativize(file).toString(),
                    statuses.isEmpty()
                            ? List.of()
                            : Arrays.stream(statuses.split(" ", -1))
                                    .map(Integer::valueOf)
                                    .toList(),
                    "close".equals(about.get("connection")),
                    "yes".equals(about.get("end")),
                    unescaped(text.substring(mark + 4).replace("\n", "")));
        } catch (IOException | RuntimeException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }

    /// Visible ASCII stands for itself; `\r`, `\n`, `\t`, `\0`, `\\`, `\xHH`, and `\{3*ab}` for `ababab`.
    private static byte[] unescaped(String text) {
        var out = new ByteArrayOutputStream();
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i++);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            switch (text.charAt(i)) {
                case 'r' -> out.write('\r');
                case 'n' -> out.write('\n');
                case 't' -> out.write('\t');
                case '0' -> out.write(0);
                case '\\' -> out.write('\\');
                case 'x' -> {
                    out.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                case '{' -> {
                    int star = text.indexOf('*', i);
                    int end = text.indexOf('}', i);
                    var piece = unescaped(text.substring(star + 1, end));
                    int count = Integer.parseInt(text.substring(i + 1, star));
                    for (int n = 0; n < count; n++) out.writeBytes(piece);
                    i = end;
                }
                default -> throw new IllegalArgumentException("no escape: " + text.substring(i));
            }
            i++;
        }
        return out.toByteArray();
    }

    /// How many of its requests deserve to be passed on.
    int accepted() {
        return (int) statuses.stream().filter(status -> status == 200).count();
    }

    boolean isTooLarge() {
        return statuses.contains(413);
    }

    /// The same, with something behind it.
    HostileRequest then(HostileRequest next) {
        var both = new ByteArrayOutputStream();
        both.writeBytes(bytes);
        both.writeBytes(next.bytes);
        var all = new java.util.ArrayList<>(statuses);
        if (!closes) all.addAll(next.statuses);
        return new HostileRequest(name + " + " + next.name, all, closes || next.closes, next.ends, both.toByteArray());
    }

    /// One that nobody refuses.
    static HostileRequest good(String path) {
        var text = "GET " + path + " HTTP/1.1\r\nHost: good.test\r\n\r\n";
        return new HostileRequest(path, List.of(200), false, false, text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return name;
    }
}
