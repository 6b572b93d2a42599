package io.millrace.proxy.upstream;

import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/// A file with an endpoint on each line, which is read again when it changes.
///
/// ```
///   # what follows is a comment
///   10.0.0.1:8080
///   [2001:db8::1]:8080 weight=3 zone=eu-1
///   unix:/run/app.sock priority=1
/// ```
/// The file is polled and compared as a whole, instead of watched through the system: that works with
/// every way to replace a file, links and container volumes included. A change is used if the next poll
/// finds the same, so that no half-written file is used. If a file has an error, or is empty, the log has
/// the line and the remedy, and the last good list stays in use; the same holds while there is no file.
public record EndpointFile(Path file, Duration interval) implements EndpointSource {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");
    private static final int MOST_BYTES = 1 << 20;

    @Override
    public AutoCloseable watch(Consumer<List<Endpoint>> listener) {
        var look = look(listener);
        look.run();
        return Repeating.start("millrace-endpoints " + file, () -> {
            look.run();
            return interval;
        });
    }

    /// Checks for a change, each time it runs.
    Runnable look(Consumer<List<Endpoint>> listener) {
        return new Look(listener);
    }

    /// One thread at a time.
    private final class Look implements Runnable {
        private final Consumer<List<Endpoint>> listener;
        private final Settled settled = new Settled();
        private String complaint = "";
        private boolean hasList;

        private Look(Consumer<List<Endpoint>> listener) {
            this.listener = listener;
        }

        @Override
        public void run() {
            try {
                var text = read();
                if (!settled.isNew(text)) return;
                var endpoints = parse(text);
                settled.take(text);
                hasList = true;
                complaint = "";
                listener.accept(endpoints);
            } catch (IOException | IllegalArgumentException e) {
                complain(e);
            }
        }

        /// Logs a complaint once, until it changes.
        private void complain(Exception e) {
            var now = e instanceof IOException failure ? Wording.of(failure) : String.valueOf(e.getMessage());
            if (Objects.equals(now, complaint)) return;
            complaint = now;
            var what = hasList ? "the last list stays in use" : "there are no endpoints until it is fixed";
            LOG.log(Level.WARNING, "{0}: {1}; {2}", file, now, what);
            ProxyEvents.ofProcess().add(EventKind.BACKEND, true, file + ": " + now + "; " + what);
        }
    }

    private String read() throws IOException {
        byte[] bytes;
        try (var in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        }
        if (bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException("longer than " + MOST_BYTES + " bytes: is it the right file?");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("it is not UTF-8: save it as UTF-8", e);
        }
    }

    /// The endpoints of a file.
    ///
    /// @throws IllegalArgumentException with the line and the remedy
    public static List<Endpoint> parse(String text) {
        var endpoints = new ArrayList<Endpoint>();
        var seen = new HashSet<SocketAddress>();
        int number = 0;
        for (var line : (Iterable<String>) text.lines()::iterator) {
            number++;
            int comment = line.indexOf('#');
            var words = (comment < 0 ? line : line.substring(0, comment)).strip();
            if (words.isEmpty()) continue;
            try {
                var endpoint = endpoint(words.split("\\s+", -1));
                if (seen.add(endpoint.address())) endpoints.add(endpoint);
                else throw new IllegalArgumentException(words + " is in it twice: leave one out");
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
            }
        }
        if (endpoints.isEmpty()) throw new IllegalArgumentException("it has no endpoint: write one");
        return List.copyOf(endpoints);
    }

    private static Endpoint endpoint(String[] words) {
        int weight = 1;
        int priority = 0;
        var zone = "";
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            var value = words[i].substring(equals + 1);
            switch (equals < 0 ? "" : words[i].substring(0, equals)) {
                case "weight" -> weight = number(words[i], value);
                case "priority" -> priority = number(words[i], value);
                case "zone" -> zone = value;
                default ->
                    throw new IllegalArgumentException(
                            "'" + words[i] + "' is unknown: write weight=…, priority=… or zone=…");
            }
        }
        return new Endpoint(address(words[0]), weight, priority, zone);
    }

    private static int number(String word, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + word + "' needs a whole number", e);
        }
    }

    private static SocketAddress address(String text) {
        if (text.startsWith("unix:")) return UnixDomainSocketAddress.of(text.substring("unix:".length()));
        return HostPort.parse(text);
    }
}
