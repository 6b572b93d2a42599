package io.millrace.http.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A second reading of RFC 9112, in regular expressions and without a thought of speed: what the parsers accept
/// it has to accept, with the same parts, and the other way round. Texts are bytes in ISO-8859-1.
public final class StrictGrammar {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]";
    private static final String ESCAPE = "%[0-9A-Fa-f]{2}";
    private static final String BLANKS = "[ \\t]*+";
    private static final Pattern REQUEST_LINE =
            Pattern.compile("(" + TOKEN + "{1,32}+) ([!-~]++) HTTP/1\\.([01])\\r\\n");
    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2})(?: [\\t\\x20-\\x7e\\x80-\\xff]*+)?\\r\\n");
    private static final Pattern FIELD =
            Pattern.compile("(" + TOKEN + "++):" + BLANKS + "([\\t\\x20-\\x7e\\x80-\\xff]*+)\\r\\n");
    private static final Pattern OPTIONS =
            Pattern.compile(BLANKS + TOKEN + "*+" + BLANKS + "(?:," + BLANKS + TOKEN + "*+" + BLANKS + ")*+");
    /// Only what is not ASCII is escaped in a host: an escaped letter would be another host to whoever decodes it.
    private static final Pattern HOST =
            Pattern.compile("(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[89A-Fa-f][0-9A-Fa-f])++(?::([0-9]{1,5}))?");
    private static final Pattern ORIGIN = Pattern.compile(
            "(/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|" + ESCAPE + ")*+)(?:\\?((?:[!-\"$&-~]|" + ESCAPE + ")*+))?");
    private static final Pattern ABSOLUTE = Pattern.compile("(?i:(https?))://([^/?]*+)(.*+)");
    private static final String QUOTED =
            "\"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*+\"";
    private static final Pattern CHUNK = Pattern.compile("([0-9A-Fa-f]{1,8}+)(?:" + BLANKS + ";" + BLANKS + TOKEN
            + "++(?:" + BLANKS + "=" + BLANKS + "(?:" + TOKEN + "++|" + QUOTED + "))?)*+\\r\\n");

    private static final int MOST_EMPTY_LINES = 4;
    private static final int MOST_CHUNK_LINE = 256;
    private static final List<String> NO_TRAILERS = List.of(
            "transfer-encoding",
            "content-length",
            "host",
            "trailer",
            "connection",
            "expect",
            "content-encoding",
            "content-type",
            "authorization",
            "cookie",
            "set-cookie",
            "te",
            "upgrade");

    private final String text;
    /// What may not stand behind the body of a response is left out, instead of refused.
    private boolean isResponse;

    private int at;

    private StrictGrammar(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /// What was read.
    ///
    /// @param first the request line's target, or the status
    /// @param fields and trailers as lines with a line feed behind each
    /// @param end where it ends
    public record Message(String method, String first, String fields, String body, String trailers, int end) {}

    /// The request that begins here; nothing when there is none, or not all of it.
    public static Optional<Message> request(String text, int from) {
        return new StrictGrammar(text, from).request();
    }

    /// The final response that begins here, behind interim ones.
    ///
    /// @param mostInterim how many of these there may be
    public static Optional<Message> response(String text, boolean isToHead, int mostInterim) {
        return new StrictGrammar(text, 0).response(isToHead, mostInterim);
    }

    /// A body in chunks: its data, its trailers, and where it ends.
    public static Optional<Message> chunked(String text) {
        var grammar = new StrictGrammar(text, 0);
        return grammar.chunks()
                .flatMap(data ->
                        grammar.trailers().map(trailers -> new Message("", "", "", data, lines(trailers), grammar.at)));
    }

    private record Field(String name, String value) {
        boolean isNamed(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    private Optional<Message> request() {
        for (int i = 0; i < MOST_EMPTY_LINES && text.startsWith("\r\n", at); i++) at += 2;
        var line = next(REQUEST_LINE);
        var fields = line == null ? null : fields();
        if (line == null || fields == null) return Optional.empty();
        boolean isOld = line.group(3).equals("0");
        var method = line.group(1);
        if (!isFine(method, line.group(2), fields, isOld) || !isFramed(fields, isOld)) return Optional.empty();
        return body(fields, "0").map(read -> message(method, line.group(2), fields, read));
    }

    private Optional<Message> response(boolean isToHead, int mostInterim) {
        isResponse = true;
        for (int interim = 0; interim <= mostInterim; interim++) {
            var line = next(STATUS_LINE);
            var fields = line == null ? null : fields();
            if (line == null || fields == null) return Optional.empty();
            if (!isFramed(fields, line.group(1).equals("0"))) return Optional.empty();
            var status = line.group(2);
            if (status.equals("101")) return Optional.empty();
            if (status.startsWith("1")) continue;
            boolean hasNone = isToHead || status.equals("204") || status.equals("304");
            var read =
                    hasNone ? Optional.of(List.<String>of("", "")) : body(fields, String.valueOf(text.length() - at));
            return read.map(body -> message("", status, fields, body));
        }
        return Optional.empty();
    }

    private Message message(String method, String first, List<Field> fields, List<String> read) {
        return new Message(method, first, lines(fields), read.get(0), read.get(1), at);
    }

    private @org.jspecify.annotations.Nullable Matcher next(Pattern pattern) {
        var matcher = pattern.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) return null;
        at = matcher.end();
        return matcher;
    }

    private @org.jspecify.annotations.Nullable List<Field> fields() {
        var fields = new ArrayList<Field>();
        for (var line = next(FIELD); line != null; line = next(FIELD)) {
            fields.add(new Field(line.group(1), line.group(2).replaceAll("[ \\t]++\\z", "")));
        }
        if (!text.startsWith("\r\n", at)) return null;
        at += 2;
        return fields;
    }

    private static String lines(List<Field> fields) {
        var lines = new StringBuilder();
        for (var field : fields)
            lines.append(field.name).append(": ").append(field.value).append('\n');
        return lines.toString();
    }

    private static List<String> all(List<Field> fields, String name) {
        return fields.stream()
                .filter(field -> field.isNamed(name))
                .map(Field::value)
                .toList();
    }

    private static boolean isFramed(List<Field> fields, boolean isOld) {
        var codings = all(fields, "Transfer-Encoding");
        var lengths = all(fields, "Content-Length");
        if (codings.isEmpty()) return lengths.isEmpty() || (lengths.size() == 1 && isLength(lengths.getFirst()));
        return lengths.isEmpty()
                && !isOld
                && codings.size() == 1
                && codings.getFirst().equalsIgnoreCase("chunked");
    }

    private static boolean isLength(String text) {
        return text.matches("[0-9]{1,18}");
    }

    private static boolean isFine(String method, String target, List<Field> fields, boolean isOld) {
        var hosts = all(fields, "Host");
        Predicate<String> isList = value -> OPTIONS.matcher(value).matches();
        Predicate<String> isContinue = value -> value.equalsIgnoreCase("100-continue");
        return (hosts.size() == 1 || (hosts.isEmpty() && isOld))
                && hosts.stream().allMatch(StrictGrammar::isHost)
                && all(fields, "Connection").stream().allMatch(isList)
                && (isOld || all(fields, "Expect").stream().allMatch(isContinue))
                && isTarget(method, target, hosts);
    }

    /// Whether something looks like a literal, of which only the parser knows whether it is one.
    public static boolean mayBeLiteral(String text) {
        return text.contains("[");
    }

    private static boolean isHost(String text) {
        if (text.matches("\\[[0-9A-Fa-f:.]+](?::[0-9]{1,5})?")) return isPort(text.substring(text.indexOf(']') + 1));
        var host = HOST.matcher(text);
        return host.matches() && isPort(host.group(1) == null ? "" : ":" + host.group(1));
    }

    private static boolean isPort(String colonAndPort) {
        return colonAndPort.isEmpty() || Integer.parseInt(colonAndPort.substring(1)) <= 0xffff;
    }

    private static boolean isTarget(String method, String target, List<String> hosts) {
        if (method.equals("CONNECT")) return false;
        if (target.equals("*")) return method.equals("OPTIONS");
        var absolute = ABSOLUTE.matcher(target);
        if (!absolute.matches()) return isOrigin(target);
        var authority = absolute.group(2);
        var scheme = absolute.group(1).toLowerCase(Locale.ROOT);
        return isHost(authority)
                && hosts.stream().allMatch(host -> normal(host, scheme).equals(normal(authority, scheme)))
                && isOrigin(absolute.group(3).startsWith("/") ? absolute.group(3) : "/" + absolute.group(3));
    }

    private static String normal(String host, String scheme) {
        return host.toLowerCase(Locale.ROOT).replaceAll(scheme.equals("https") ? ":443$" : ":80$", "");
    }

    private static boolean isOrigin(String target) {
        var origin = ORIGIN.matcher(target);
        if (!origin.matches()) return false;
        var path = origin.group(1);
        if (path.matches(".*%(?i:[01][0-9a-f]|2f|5c|7f).*")) return false;
        int depth = 0;
        for (var segment : path.replaceAll("%2[eE]", ".").split("/", -1)) {
            if (segment.equals("..")) depth--;
            else if (!segment.isEmpty() && !segment.equals(".")) depth++;
            if (depth < 0) return false;
        }
        return true;
    }

    /// Data, and trailers.
    ///
    /// @param otherwise the length of a body that says none
    private Optional<List<String>> body(List<Field> fields, String otherwise) {
        if (!all(fields, "Transfer-Encoding").isEmpty()) {
            return chunks().flatMap(data -> trailers().map(trailers -> List.of(data, lines(trailers))));
        }
        var lengths = all(fields, "Content-Length");
        long length = Long.parseLong(lengths.isEmpty() ? otherwise : lengths.getFirst());
        if (length > text.length() - at) return Optional.empty();
        return Optional.of(List.of(taken((int) length), ""));
    }

    private String taken(int length) {
        at += length;
        return text.substring(at - length, at);
    }

    private Optional<String> chunks() {
        var data = new StringBuilder();
        while (true) {
            int begin = at;
            var line = next(CHUNK);
            boolean isTooLong = !isResponse && at - begin > MOST_CHUNK_LINE + 2;
            if (line == null || isTooLong) return Optional.empty();
            long length = Long.parseLong(line.group(1), 16);
            if (length == 0) return Optional.of(data.toString());
            if (length > text.length() - at) return Optional.empty();
            data.append(taken((int) length));
            if (!text.startsWith("\r\n", at)) return Optional.empty();
            at += 2;
        }
    }

    private Optional<List<Field>> trailers() {
        var trailers = fields();
        if (trailers == null) return Optional.empty();
        var allowed = trailers.stream()
                .filter(field -> !NO_TRAILERS.contains(field.name.toLowerCase(Locale.ROOT)))
                .toList();
        boolean isFine = isResponse || allowed.size() == trailers.size();
        return isFine ? Optional.of(allowed) : Optional.empty();
    }
}
