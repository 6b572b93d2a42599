package io.millrace.proxy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads requests as strictly as RFC 9112 allows, and what a proxy may send is less than that: a judge that has
/// nothing in common with the parser to be judged.
final class StrictReader {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern LINE = Pattern.compile("(" + TOKEN + ") (\\*|/[!-\"$-~]*) HTTP/1\\.1");
    private static final Pattern FIELD = Pattern.compile("(" + TOKEN + "):[ \t]*([\t -~\u0080-\u00ff]*)");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._~%!$&'()*+,;=-]*)(:[0-9]*)?");
    private static final Pattern LENGTH = Pattern.compile("0|[1-9][0-9]{0,17}");
    private static final Pattern SIZE = Pattern.compile("[0-9a-fA-F]{1,8}");
    private static final List<String> OF_HOP =
            List.of("keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "trailer");
    private static final List<String> NO_TRAILERS =
            List.of("host", "content-length", "transfer-encoding", "connection", "te", "authorization", "cookie");

    /// What two readers may understand differently.
    static final class Ambiguous extends IOException {
        private static final long serialVersionUID = 1;

        Ambiguous(String why) {
            super(why);
        }
    }

    /// A request.
    ///
    /// @param fields as they came, without line ends
    record Message(String method, String target, List<String> fields, String body, List<String> trailers) {
        /// The values of a field.
        List<String> all(String name) {
            return values(fields, name);
        }

        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    private final InputStream in;

    StrictReader(InputStream in) {
        this.in = in;
    }

    private static List<String> values(List<String> fields, String name) {
        return fields.stream()
                .filter(field -> field.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(field -> field.substring(name.length() + 1).strip())
                .toList();
    }

    /// The line and fields of the next request, without its body; empty when no more come.
    ///
    /// @throws EOFException when it was cut
    Optional<Message> head() throws IOException {
        int first = in.read();
        if (first < 0) return Optional.empty();
        var line = matching(LINE, line(first));
        var target = line.group(2);
        var path = target.replaceFirst("\\?.*", "");
        check(!path.contains("//") && !(path + "/").matches(".*/\\.\\.?/.*"), "the path " + path);
        var fields = fields();
        checkHop(fields);
        var host = values(fields, "Host");
        check(host.size() == 1 && HOST.matcher(host.getFirst()).matches(), "Host " + host);
        return Optional.of(new Message(line.group(1), target, fields, "", List.of()));
    }

    private static void checkHop(List<String> fields) throws Ambiguous {
        for (var name : OF_HOP) check(values(fields, name).isEmpty(), name + " in " + fields);
        // What the proxy may say of its own.
        var options = new ArrayList<String>();
        if (values(fields, "TE").equals(List.of("trailers"))) options.add("TE");
        if (values(fields, "Upgrade").equals(List.of("websocket"))) options.add("Upgrade");
        check(values(fields, "Connection").containsAll(options), "hop by hop: " + fields);
        check(
                values(fields, "TE").size() + values(fields, "Upgrade").size() == options.size()
                        && values(fields, "Connection").size() == options.size(),
                "hop by hop: " + fields);
    }

    private List<String> fields() throws IOException {
        var fields = new ArrayList<String>();
        while (true) {
            var field = line(in.read());
            if (field.isEmpty()) return fields;
            matching(FIELD, field);
            fields.add(field);
        }
    }

    /// The same with its body.
    Message body(Message head) throws IOException {
        var lengths = values(head.fields, "Content-Length");
        var codings = values(head.fields, "Transfer-Encoding");
        check(lengths.size() + codings.size() <= 1, "framing " + head.fields);
        if (codings.isEmpty()) {
            long length = lengths.isEmpty()
                    ? 0
                    : Long.parseLong(matching(LENGTH, lengths.getFirst()).group());
            return new Message(head.method, head.target, head.fields, exactly(length), List.of());
        }
        check(codings.equals(List.of("chunked")), "coding " + codings);
        var body = new StringBuilder();
        while (true) {
            long length = Long.parseLong(matching(SIZE, line(in.read())).group(), 16);
            if (length == 0) break;
            body.append(exactly(length));
            check(line(in.read()).isEmpty(), "what follows a chunk");
        }
        var trailers = fields();
        for (var name : NO_TRAILERS) check(values(trailers, name).isEmpty(), "trailers " + trailers);
        return new Message(head.method, head.target, head.fields, body.toString(), trailers);
    }

    private String exactly(long length) throws IOException {
        var bytes = in.readNBytes((int) Math.min(length, Integer.MAX_VALUE));
        if (bytes.length < length) throw new EOFException("in a body");
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private String line(int first) throws IOException {
        var line = new ByteArrayOutputStream();
        int b = first;
        while (b != '\n') {
            if (b < 0) throw new EOFException("in '" + line + "'");
            line.write(b);
            b = in.read();
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        check(text.endsWith("\r") && text.indexOf('\r') == text.length() - 1, "line end of '" + text + "'");
        return text.substring(0, text.length() - 1);
    }

    private static java.util.regex.Matcher matching(Pattern pattern, String text) throws Ambiguous {
        var matcher = pattern.matcher(text);
        check(matcher.matches(), "'" + text.toLowerCase(Locale.ROOT) + "'");
        return matcher;
    }

    private static void check(boolean isFine, String what) throws Ambiguous {
        if (!isFine) throw new Ambiguous(what);
    }
}
