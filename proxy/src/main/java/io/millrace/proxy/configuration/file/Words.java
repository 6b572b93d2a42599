package io.millrace.proxy.configuration.file;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.PasswordHash;
import io.millrace.http.filter.RequestTemplate;
import io.millrace.http.grammar.MediaRange;
import io.millrace.http.grammar.PathPattern;
import io.millrace.http.grammar.Syntax;
import io.millrace.loop.Durations;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Shape.Flag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Set;

/// Kinds of values that several keys share.
final class Words {
    /// Fields about one connection, or about where a message ends (RFC 9110 section 7.6.1): the proxy sets them
    /// itself.
    private static final Set<String> OF_CONNECTION = Set.of(
            "connection",
            "content-length",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final String LABEL = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?";

    static final Flag FLAG = new Flag();

    /// A field's value.
    static final Scalar<String> VALUE = Scalar.text("a value of a field", "[\\t -~\u00a0-\u00ff]*", "no-store");

    /// The same, with values of the request.
    static final Scalar<RequestTemplate> FIELD_TEMPLATE = Scalar.of(
                    "a value of a field", VALUE.form(), "no-store", RequestTemplate::of, RequestTemplate::toString)
            .literally(RequestTemplate::literal);

    static final Scalar<String> FIELD = Scalar.text("a name of a field", TOKEN, "X-Name");

    static final Scalar<String> MEDIA_TYPE =
            Scalar.text("a media type, or all of a kind", MediaRange.FORM, "text/html");

    static final Scalar<String> METHOD = Scalar.text("a method", TOKEN, "GET").checked(Words::checkMethod);

    static final Scalar<String> TEXT = Scalar.text("a text", "[\\s\\S]*", "words");

    static final Scalar<String> ZONE = Scalar.text("a name", "[A-Za-z0-9][A-Za-z0-9_.-]{0,62}", "eu-1");

    /// In lower case; one with a star is for all names below.
    static final Scalar<String> HOST = Scalar.of(
            "a host",
            "(\\*\\.)?" + LABEL + "(\\." + LABEL + ")*\\.?|\\[[0-9A-Fa-f:.]+\\]",
            "*.example.org",
            Words::host,
            host -> host);

    static final Scalar<String> AUTHORITY = Scalar.text(
            "a host with an optional port",
            "(" + LABEL + "(\\." + LABEL + ")*|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?",
            "example.org");

    static final Scalar<String> TARGET = Scalar.text(
            "a host and a port",
            "((\\*\\.)?" + LABEL + "(\\." + LABEL + ")*|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}",
            "example.org:443");

    static final Scalar<String> NAME =
            Scalar.text("a name in DNS", LABEL + "(\\." + LABEL + ")*\\.?", "api.example.org");

    static final Scalar<PathPattern> PREFIX =
            Scalar.of("a prefix of paths", "/[^?#\\s]*", "/api", PathPattern::below, PathPattern::text);

    static final Scalar<PathPattern> PATTERN = Scalar.of(
            "a path, or a pattern for paths", "/[^?#\\s]*", "/rooms/{id}", PathPattern::of, PathPattern::text);

    static final Scalar<RequestTemplate> LOCATION = Scalar.of(
                    "a location",
                    "[!-~]+",
                    "https://{host}{path}{query}",
                    RequestTemplate::location,
                    RequestTemplate::toString)
            .literally(RequestTemplate::literal);

    static final Scalar<Network> NETWORK =
            Scalar.of("a network", Network.FORM, "10.0.0.0/8", Network::of, Network::toString);

    static final Scalar<PasswordHash> PASSWORD = Scalar.of(
                    "a hash of a password",
                    PasswordHash.FORM,
                    "pbkdf2-sha256$600000$SALT$HASH",
                    PasswordHash::parse,
                    PasswordHash::text)
            .secret();

    /// A file that need not exist yet, in a folder that must.
    static final Scalar<Path> NEW_FILE = path("a file", "access.log", Words::checkFolder);

    /// The same, for a Unix socket.
    static final Scalar<Path> SOCKET = path("a socket", "proxy.sock", Words::checkFolder);

    static final Scalar<Path> FILE = path("a file", "backends.txt", path -> {
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            throw new IllegalArgumentException(
                    "there is no readable file at " + path + ": make it, or name another one");
        }
    });

    static final Scalar<Path> FOLDER = path("a folder", "assets", path -> {
        if (!Files.isDirectory(path)) {
            throw new IllegalArgumentException("there is no folder " + path + ": make it, or name another one");
        }
    });

    /// A folder that need not exist yet, in one that must.
    static final Scalar<Path> NEW_FOLDER = path("a folder", "acme", path -> {
        if (Files.isDirectory(path)) return;
        if (Files.exists(path)) throw new IllegalArgumentException("it is a file: name a folder");
        checkFolder(path);
    });

    private Words() {}

    private static Scalar<Path> path(String name, String example, java.util.function.Consumer<Path> check) {
        Scalar.Parser<Path> parser = (text, place) -> place.folder().resolve(text);
        return new Scalar<>(name, "[^\\x00]+", example, "", false, text -> text, parser, Path::toString).checked(check);
    }

    private static void checkFolder(Path path) {
        var folder = path.toAbsolutePath().getParent();
        if (Files.isDirectory(path)) throw new IllegalArgumentException("it is a folder: name a file in it");
        if (folder != null && !Files.isDirectory(folder)) {
            throw new IllegalArgumentException("there is no folder " + folder + ": make it, or name another one");
        }
    }

    /// Methods are case-sensitive (RFC 9110 section 9.1): no client would ever send these.
    private static void checkMethod(String text) {
        Syntax.checkMethod(text);
        var large = text.toUpperCase(Locale.ROOT);
        if (text.equals(large) || !METHODS.contains(large)) return;
        throw new IllegalArgumentException("methods are written in capitals: write " + large);
    }

    /// In the form of [#HOST].
    static String host(String text) {
        var small = text.toLowerCase(Locale.ROOT);
        return small.endsWith(".") ? small.substring(0, small.length() - 1) : small;
    }

    /// A field that a configuration may change.
    static String changeable(String name) {
        var small = name.toLowerCase(Locale.ROOT);
        if (OF_CONNECTION.contains(small)) {
            throw new IllegalArgumentException("the field " + name + " is set by the proxy itself: leave it out");
        }
        if (small.endsWith("*")) {
            throw new IllegalArgumentException("the name " + name + " is no pattern: write each name out");
        }
        if (small.equals("host")) {
            throw new IllegalArgumentException("the field Host is not changed here: use the upstream's key host");
        }
        return name;
    }

    /// Zero has a unit, too.
    static Scalar<Duration> duration(Duration least, Duration most) {
        return Scalar.of("a duration", Durations.FORM, "5s", Durations::parse, Durations::text)
                .within(
                        Durations.text(least) + " to " + Durations.text(most),
                        value -> Durations.check(value, least, most));
    }

    /// One of a few numbers.
    static Choice<Integer> numbers(int... numbers) {
        var words = new LinkedHashMap<String, Integer>();
        for (int number : numbers) words.put(Integer.toString(number), number);
        return new Choice<>(words);
    }
}
