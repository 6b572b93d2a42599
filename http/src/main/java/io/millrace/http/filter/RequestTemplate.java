package io.millrace.http.filter;

import io.millrace.http.PathParameters;
import io.millrace.http.Request;
import io.millrace.http.grammar.Escapes;
import io.millrace.http.grammar.FieldValue;
import io.millrace.http.grammar.PathPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A text with values of a request: for fields, for the location of a redirect, for lines of a log
/// ([AccessLog.Format]). Each place escapes what it has to, so that no value gets out of it.
///
/// ```java
/// var secure = RequestTemplate.location("https://{host}{path}{query}");
/// HttpHandler toHttps = request -> secure.location(request).map(Response::redirect).orElse(Response.status(400));
/// var client = RequestTemplate.of("{client};proto={scheme}");
/// HttpFilter naming = next -> request -> next.handle(request.setHeader("X-Client", client.field(request)));
/// ```
/// The values are `client` (the address, without its port), `client-port`, `host` (without its port), `port`,
/// `scheme`, `method`, `path`, `query` (with its question mark), `request-id`, `tls-name`, `tls-subject` (of the
/// client's certificate) and `header:NAME`. Every other name is a parameter of the path. `{{` and `}}` are braces.
///
/// Parsed once. Immutable; two with the same text are equal. Any thread.
public final class RequestTemplate {
    /// A field, or a location, that would be longer is not made; its own text does not count.
    public static final int MOST_BYTES = 8 << 10;

    private static final int MOST_VALUES = 32;
    private static final String KEPT_IN_PATH = "/:@!$&'()*+,;=%";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]*");
    private static final Pattern VISIBLE = Pattern.compile("[\\x21-\\x7e&&[^\"<>\\\\`]]+");

    /// The host is the client's, or one that no client can change.
    private static final Pattern BEGIN =
            Pattern.compile("(?i)/(?!/).*|\\{path\\}.*|(https?|\\{scheme\\})://([^/?#{}]+|\\{host\\})(:\\{port\\})?"
                    + "((/|\\?|#|\\{path\\}|\\{query\\}).*)?");

    /// A value, and the text in front of it.
    ///
    /// @param name as it is written, for [RequestValue#HEADER] only the field's
    /// @param value null for a parameter of the path, or for what only a log knows
    /// @param isQuoted between double quotes
    /// @param isBehindPath in the query of a location, or behind it
    record Piece(String before, String name, @Nullable RequestValue value, boolean isQuoted, boolean isBehindPath) {}

    private final String text;
    private final List<Piece> pieces;
    private final String end;
    private final boolean isLocation;
    private final Optional<PathPattern> path;

    private RequestTemplate(
            String text, List<Piece> pieces, String end, boolean isLocation, Optional<PathPattern> path) {
        this.text = text;
        this.pieces = pieces;
        this.end = end;
        this.isLocation = isLocation;
        this.path = path;
    }

    /// A text with values in braces.
    ///
    /// @throws IllegalArgumentException for a brace that does not pair, for `{}`, and for more than 32 values
    public static RequestTemplate of(String text) {
        var pieces = new ArrayList<Piece>();
        var before = new StringBuilder();
        boolean isQuoted = false;
        boolean isBehindPath = false;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            boolean isBrace = c == '{' || c == '}';
            if (isBrace && text.startsWith("" + c + c, at)) {
                before.append(c);
                at++;
            } else if (isBrace) {
                int close = text.indexOf('}', at);
                if (c == '}' || close < 0) throw unpaired();
                var piece = piece(before.toString(), text.substring(at + 1, close), isQuoted, isBehindPath);
                isBehindPath |= piece.value == RequestValue.QUERY;
                pieces.add(piece);
                before.setLength(0);
                at = close;
            } else {
                isQuoted ^= c == '"' && (at == 0 || text.charAt(at - 1) != '\\');
                isBehindPath |= c == '?' || c == '#';
                before.append(c);
            }
        }
        if (pieces.size() > MOST_VALUES)
            throw new IllegalArgumentException(pieces.size() + " values in braces: take " + MOST_VALUES + " at most");
        return new RequestTemplate(text, List.copyOf(pieces), before.toString(), false, Optional.empty());
    }

    private static IllegalArgumentException unpaired() {
        return new IllegalArgumentException("it has an unpaired brace: close it, or write {{ or }} for a brace");
    }

    private static Piece piece(String before, String name, boolean isQuoted, boolean isBehindPath) {
        var value = RequestValue.of(name);
        var own = value == RequestValue.HEADER ? name.substring(value.word().length()) : name;
        boolean isFine = value == RequestValue.HEADER
                ? FieldValue.isToken(own)
                : NAME.matcher(own).matches();
        if (!isFine) {
            throw new IllegalArgumentException(
                    "{" + name + "} is no name of a value: " + known() + ", or write {{ for a brace");
        }
        return new Piece(before, own, value, isQuoted, isBehindPath);
    }

    private static String known() {
        return "take one of " + String.join(", ", RequestValue.words());
    }

    /// A location, for [#location(Request)]: a path, or a URI whose host is `{host}` or has no names in braces.
    ///
    /// @throws IllegalArgumentException as [#of], and for a text that is no location
    public static RequestTemplate location(String text) {
        if (!VISIBLE.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "a location has visible ASCII characters only, and none of \"<>\\`: escape the others with %");
        }
        var template = of(text);
        if (text.contains("{{") || text.contains("}}"))
            throw new IllegalArgumentException("a location has no braces: write %7B or %7D");
        if (!BEGIN.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "begin it with one slash, {path}, or a scheme and a host that is {host} or has no names in"
                            + " braces");
        }
        return new RequestTemplate(text, template.pieces, template.end, true, Optional.empty());
    }

    /// A text that is the value of no name, whatever is in it: a text for [#of].
    public static String literal(String text) {
        return text.replace("{", "{{").replace("}", "}}");
    }

    /// The names that are none of a request's own values: parameters of the path, or mistakes.
    public List<String> parameters() {
        return pieces.stream()
                .filter(piece -> piece.value == null)
                .map(Piece::name)
                .toList();
    }

    /// Whether it names this value.
    public boolean names(String value) {
        return pieces.stream().anyMatch(piece -> piece.name.equals(value));
    }

    /// The words of all values, for messages.
    public static List<String> values() {
        return RequestValue.words();
    }

    /// Whether it is the same for every request.
    public boolean isConstant() {
        return pieces.isEmpty();
    }

    /// The same, for paths that match a pattern: its parameters stay as they arrived. Otherwise they are those of
    /// [PathParameters#of].
    ///
    /// @param pattern as in [io.millrace.http.Routes]
    /// @throws IllegalArgumentException if a name is not among the pattern's
    public RequestTemplate matching(String pattern) {
        var matched = PathPattern.of(pattern);
        for (var name : parameters()) {
            if (matched.names().contains(name)) continue;
            throw new IllegalArgumentException("there is no value {" + name + "}: " + known()
                    + ", or a parameter of the path, " + matched.names());
        }
        return new RequestTemplate(text, pieces, end, isLocation, Optional.of(matched));
    }

    List<Piece> pieces() {
        return pieces;
    }

    /// The text behind the last value.
    String end() {
        return end;
    }

    private String value(Piece piece, Request request) {
        if (piece.value == RequestValue.REQUEST_ID) return RequestIds.given(request);
        if (piece.value != null) return piece.value.in(request, piece.name);
        if (path.isPresent()) return path.get().raw(request.path(), piece.name);
        return Escapes.encoded(PathParameters.of(request).text(piece.name), KEPT_IN_PATH.replace("%", ""));
    }

    // Fields.

    /// The value of a field: characters that fields must not have become `%HH` of their UTF-8; between double
    /// quotes of the template, quotes and backslashes get a backslash.
    ///
    /// @return empty if none of its values is there, or if it would be longer than [#MOST_BYTES]: then the field
    ///     is to be left out
    public String field(Request request) {
        if (isConstant()) return end;
        var made = new StringBuilder(64);
        int ownBytes = 0;
        for (var piece : pieces) {
            ownBytes += piece.before.length();
            appendToField(made.append(piece.before), value(piece, request), piece);
            if (made.length() - ownBytes > MOST_BYTES) return "";
        }
        return made.length() > ownBytes ? FieldValue.trimmed(made.append(end).toString()) : "";
    }

    static void appendToField(StringBuilder field, String value, Piece piece) {
        if (isPlain(value)) {
            field.append(value);
            return;
        }
        // Fields arrive as bytes.
        boolean isBytes = piece.value == RequestValue.HEADER;
        for (byte b : value.getBytes(isBytes ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8)) {
            boolean isSpecial = b == '"' || b == '\\';
            if (isSpecial && piece.isQuoted) field.append('\\');
            if ((b >= ' ' && b < 0x7f) || b == '\t') field.append((char) b);
            else field.append('%').append(HEX.toHexDigits(b));
        }
    }

    /// Whether it stands for itself in any field.
    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') return false;
        }
        return true;
    }

    // Locations.

    /// A redirect's location. In a path, `path` and parameters stay as they arrived; in a query, what would end a
    /// parameter of the query is escaped, too. Other values are escaped but for letters, digits and `-._~`.
    ///
    /// @return empty if the request does not say a valid host that the location needs, if a value would make
    ///     another host or directory of it, or if it would be longer than [#MOST_BYTES]
    /// @throws IllegalStateException if it was not made by [#location(String)]
    public Optional<String> location(Request request) {
        if (!isLocation) throw new IllegalStateException("'" + text + "' is no location: make it with location()");
        if (isConstant()) return Optional.of(end);
        var made = new StringBuilder(128);
        int ownBytes = 0;
        for (var piece : pieces) {
            var value = value(piece, request);
            if (piece.value == RequestValue.HOST && value.isEmpty()) return Optional.empty();
            ownBytes += piece.before.length();
            made.append(piece.before).append(escaped(piece, value));
            if (made.length() - ownBytes > MOST_BYTES) return Optional.empty();
        }
        var location = made.append(end).toString();
        return leadsElsewhere(location) ? Optional.empty() : Optional.of(location);
    }

    private static String escaped(Piece piece, String value) {
        if (piece.value == null) return Escapes.encoded(value, piece.isBehindPath ? "/:@!$'()*,;%" : KEPT_IN_PATH);
        return switch (piece.value) {
            case HOST, PORT, SCHEME -> value;
            case PATH -> {
                // The server as a whole.
                if (value.equals("*")) yield "/";
                yield Escapes.encoded(value, piece.isBehindPath ? "/" : KEPT_IN_PATH);
            }
            case QUERY -> Escapes.encoded(value, piece.isBehindPath ? "/" : KEPT_IN_PATH + "?[]|^");
            default -> Escapes.encoded(value);
        };
    }

    /// A path that begins with two slashes names a host, and browsers resolve dots.
    private static boolean leadsElsewhere(String location) {
        if (location.startsWith("//")) return true;
        for (int at = location.indexOf("/."); at >= 0; at = location.indexOf("/.", at + 1)) {
            int end = at + (location.startsWith("..", at + 1) ? 3 : 2);
            if (end == location.length() || "/?#".indexOf(location.charAt(end)) >= 0) return !isBehind(location, at);
        }
        return false;
    }

    private static boolean isBehind(String location, int at) {
        int query = location.indexOf('?');
        int fragment = location.indexOf('#');
        return (query >= 0 && query < at) || (fragment >= 0 && fragment < at);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof RequestTemplate other
                && text.equals(other.text)
                && isLocation == other.isLocation
                && path.equals(other.path);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /// The text as it was written.
    @Override
    public String toString() {
        return text;
    }
}
