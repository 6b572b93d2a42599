package io.millrace.http.websocket;

import io.millrace.http.ws.DeflateWindows;
import io.millrace.http.ws.MessageCoding;
import io.millrace.http.ws.WsLimits;
import io.millrace.net.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What one end of a WebSocket does beside its messages. Immutable: a property is set by its name, which returns a
/// copy, and read by the same name. Keep an object for all sockets of a kind: limits that are counted over
/// connections ([#windows]) belong to it and its copies.
///
/// ```java
/// private static final WebSocketSettings SETTINGS =
///         WebSocketSettings.standard().subprotocols("v2.chat", "v1.chat").messageBytes(64 << 10);
/// ```
@CheckReturnValue
public final class WebSocketSettings {
    private static final WebSocketSettings STANDARD = new WebSocketSettings();

    private WsLimits limits = WsLimits.standard();
    private List<String> subprotocols = List.of();
    private Set<String> origins = Set.of();
    private boolean anyOrigin;
    private boolean compresses = true;
    private DeflateWindows windows = DeflateWindows.NONE;
    private Duration pingAfter = Duration.ofSeconds(30);
    private Duration idleTimeout = Duration.ofSeconds(60);
    private Duration closeTimeout = Duration.ofSeconds(5);
    private long queueBytes = 1 << 20;
    private SlowReader slowReader = SlowReader.CLOSE;
    private int partBytes;

    // What sockets of servers have in common, made when the first one opens; another thread may make another one.

    private SocketEnd.@Nullable Agreement plain;
    private SocketEnd.@Nullable Agreement packed;

    private WebSocketSettings() {}

    private WebSocketSettings(WebSocketSettings from) {
        this.limits = from.limits;
        this.subprotocols = from.subprotocols;
        this.origins = from.origins;
        this.anyOrigin = from.anyOrigin;
        this.compresses = from.compresses;
        this.windows = from.windows;
        this.pingAfter = from.pingAfter;
        this.idleTimeout = from.idleTimeout;
        this.closeTimeout = from.closeTimeout;
        this.queueBytes = from.queueBytes;
        this.slowReader = from.slowReader;
        this.partBytes = from.partBytes;
    }

    /// The defaults, which each property tells.
    public static WebSocketSettings standard() {
        return STANDARD;
    }

    // The handshake.

    /// The subprotocols that this end speaks, the preferred one first (RFC 6455 section 1.9); none by default.
    public WebSocketSettings subprotocols(String... names) {
        var copy = new WebSocketSettings(this);
        copy.subprotocols = List.of(names);
        return copy;
    }

    public List<String> subprotocols() {
        return subprotocols;
    }

    /// Pages of these origins may connect, too, as `https://app.example`; by default only those of the request's
    /// own host, and peers that are no browsers, which send no `Origin`.
    public WebSocketSettings origins(String... allowed) {
        var copy = new WebSocketSettings(this);
        copy.origins = Stream.of(allowed).map(WebSocketSettings::small).collect(Collectors.toUnmodifiableSet());
        return copy;
    }

    /// Those, in small letters.
    public Set<String> origins() {
        return origins;
    }

    /// Origins are compared in any case (RFC 6454 section 4).
    private static String small(String origin) {
        return origin.toLowerCase(Locale.ROOT);
    }

    boolean isNamed(String origin) {
        return origins.contains(small(origin));
    }

    /// Pages of all origins may connect. Only where nothing depends on cookies: a browser sends those of its user.
    public WebSocketSettings anyOrigin() {
        var copy = new WebSocketSettings(this);
        copy.anyOrigin = true;
        return copy;
    }

    boolean takesAnyOrigin() {
        return anyOrigin;
    }

    // Messages.

    /// The longest message that is received, 1 MiB by default, as it arrives and when it is decompressed
    /// (`http.websocket.message`).
    public WebSocketSettings messageBytes(int most) {
        var copy = new WebSocketSettings(this);
        copy.limits = limits.messageBytes(checked("bytes of a message", most));
        return copy;
    }

    public long messageBytes() {
        return limits.messageBytes();
    }

    /// How many frames a message may have, 1024 by default (`http.websocket.fragments`).
    public WebSocketSettings fragments(int most) {
        var copy = new WebSocketSettings(this);
        copy.limits = limits.fragments(checked("fragments of a message", most));
        return copy;
    }

    public int fragments() {
        return limits.fragments();
    }

    private static int checked(String what, int value) {
        if (value >= 1) return value;
        throw new IllegalArgumentException(value + " " + what + ": take 1 or more");
    }

    /// Messages are received in parts of at most so many bytes, as they arrive, and may be of any length
    /// ([WebSocketHandler#onPart], [BlockingWebSocket#receivePart]); they are not compressed then. A text may have
    /// up to three bytes more, those of a character that the part before began. Zero, the default, for whole
    /// messages.
    public WebSocketSettings partBytes(int most) {
        if (most < 0) throw new IllegalArgumentException("parts of " + most + " bytes: take 0 or more");
        var copy = new WebSocketSettings(this);
        copy.partBytes = most;
        return copy;
    }

    public int partBytes() {
        return partBytes;
    }

    /// Whether messages may be compressed (`permessage-deflate`, RFC 7692); true by default.
    public WebSocketSettings compresses(boolean may) {
        var copy = new WebSocketSettings(this);
        copy.compresses = may;
        return copy;
    }

    public boolean compresses() {
        return compresses;
    }

    /// How many connections may keep their windows between messages (context takeover), so that small messages
    /// which are alike become far smaller; none by default. Each takes some 300 KiB of native memory
    /// (`http.websocket.windows`).
    public WebSocketSettings windows(int connections) {
        var copy = new WebSocketSettings(this);
        copy.windows = new DeflateWindows(connections);
        return copy;
    }

    DeflateWindows keptWindows() {
        return windows;
    }

    /// Whether compression is offered or accepted: a packed message is unpacked when it is whole.
    boolean mayCompress() {
        return compresses && partBytes == 0;
    }

    /// Of what is read.
    WsLimits limits() {
        return partBytes == 0 ? limits : limits.ofAnyLength();
    }

    // Time.

    /// The peer is pinged when it has sent nothing for so long, 30 s by default; zero for never.
    public WebSocketSettings pingAfter(Duration silence) {
        var copy = new WebSocketSettings(this);
        copy.pingAfter = checked("silence before a ping", silence);
        return copy;
    }

    public Duration pingAfter() {
        return pingAfter;
    }

    /// The connection is dropped when the peer has sent nothing for so long, not even a pong, 60 s by default
    /// (`http.websocket.idle`); zero for never.
    public WebSocketSettings idleTimeout(Duration silence) {
        var copy = new WebSocketSettings(this);
        copy.idleTimeout = checked("an idle timeout", silence);
        return copy;
    }

    public Duration idleTimeout() {
        return idleTimeout;
    }

    /// How long the peer may take to answer a close frame once it has left, 5 s by default (`http.websocket.close`).
    /// Before, the peer has to take something of what is in front of it in each such time.
    public WebSocketSettings closeTimeout(Duration limit) {
        var copy = new WebSocketSettings(this);
        copy.closeTimeout = checked("a time to close", limit);
        return copy;
    }

    public Duration closeTimeout() {
        return closeTimeout;
    }

    private static Duration checked(String what, Duration value) {
        if (!value.isNegative()) return value;
        throw new IllegalArgumentException(what + " of " + value + ": take zero or more");
    }

    // Slow readers.

    /// What may wait for a peer that reads more slowly than this end sends, in bytes, 1 MiB by default
    /// (`http.websocket.queue`); the last message may be longer. A text counts a byte for each character, though
    /// one with characters beyond Latin-1 takes two in memory.
    public WebSocketSettings queueBytes(int most) {
        var copy = new WebSocketSettings(this);
        copy.queueBytes = checked("bytes that may wait", most);
        return copy;
    }

    public long queueBytes() {
        return queueBytes;
    }

    /// What happens then; [SlowReader#CLOSE] by default.
    public WebSocketSettings slowReader(SlowReader policy) {
        var copy = new WebSocketSettings(this);
        copy.slowReader = policy;
        return copy;
    }

    public SlowReader slowReader() {
        return slowReader;
    }

    // For the handshake of a server.

    /// What both sides have agreed on: most sockets share the object.
    SocketEnd.Agreement agreement(Optional<String> subprotocol, @Nullable MessageCoding coding) {
        if (subprotocol.isPresent() || (coding != null && !coding.isShared()))
            return new SocketEnd.Agreement(this, true, subprotocol, coding);
        var known = coding == null ? plain : packed;
        if (known != null) return known;
        var made = new SocketEnd.Agreement(this, true, subprotocol, coding);
        if (coding == null) plain = made;
        else packed = made;
        return made;
    }
}
