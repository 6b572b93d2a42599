package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.http.Cookie;
import io.millrace.http.Cookies;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A filter that gives handlers an [HttpSession], which keeps data of a user agent between requests. Immutable: a
/// property is set by its name, which returns a copy, and read by the same name. Any thread.
///
/// ```java
/// var sessions = Sessions.in(MemorySessions.standard(), key).idle(Duration.ofMinutes(20));
/// HttpHandler app = routes.filter(sessions);
/// ```
/// The cookie is signed with HMAC-SHA-256, `HttpOnly`, and `SameSite=Lax`; over TLS it is `Secure`, and its name
/// begins with `__Host-`. A cookie with a bad signature or another name, or of an expired session, is ignored. A
/// session is looked up when a handler asks for it, and begins when something is set: user agents that only read
/// pages get no cookie.
///
/// [#in] keeps sessions on the server, where nobody can read them. [#inCookies] keeps them in the cookie, which
/// is signed but not encrypted: the user can read it. A copy of the cookie is valid until the session expires,
/// even after a logout; and a request that was in progress during the logout may set the cookie again.
@CheckReturnValue
public final class Sessions implements HttpFilter {
    private static final int LEAST_KEY_BYTES = 32;
    private static final int MOST_KEYS = 8;
    private static final Duration LONGEST = Duration.ofDays(3650);

    /// The most bytes of names and values, in UTF-8 (`http.sessions`).
    private static final int MOST_BYTES = 4096;

    /// The part of the idle time after which a use of the session is recorded.
    private static final int NOTED_PARTS = 8;

    private final Optional<SessionStore> store;
    private final List<Bytes> keys;
    private final Duration idle;
    private final Duration lifetime;
    private final Cookie cookie;
    private final boolean secure;
    private final InstantSource clock;

    private Sessions(
            Optional<SessionStore> store,
            List<Bytes> keys,
            Duration idle,
            Duration lifetime,
            Cookie cookie,
            boolean secure,
            InstantSource clock) {
        this.store = store;
        this.keys = keys;
        this.idle = idle;
        this.lifetime = lifetime;
        this.cookie = cookie;
        this.secure = secure;
        this.clock = clock;
    }

    /// Sessions that a store keeps; the cookie has only their id.
    ///
    /// @param key 32 or more random bytes, the same for every server of the application
    /// @throws IllegalArgumentException for a shorter key
    public static Sessions in(SessionStore store, Bytes key) {
        return of(Optional.of(store), key);
    }

    /// Sessions kept in the cookie, up to some 2 800 bytes of names and values; otherwise as [#in].
    ///
    /// @throws IllegalArgumentException for a shorter key
    public static Sessions inCookies(Bytes key) {
        return of(Optional.empty(), key);
    }

    private static Sessions of(Optional<SessionStore> store, Bytes key) {
        return new Sessions(
                store,
                checked(List.of(key)),
                Duration.ofMinutes(30),
                Duration.ofHours(12),
                Cookie.of("session", ""),
                false,
                InstantSource.system());
    }

    private static List<Bytes> checked(List<Bytes> keys) {
        for (var key : keys) {
            if (key.length() >= LEAST_KEY_BYTES) continue;
            throw new IllegalArgumentException(
                    "a key of " + key.length() + " bytes: take " + LEAST_KEY_BYTES + " or more, from a SecureRandom");
        }
        if (keys.size() > MOST_KEYS) {
            throw new IllegalArgumentException(keys.size() + " keys: take " + MOST_KEYS + " at most");
        }
        return keys;
    }

    /// Keys that signed before; replaces the earlier ones. Cookies signed with them are accepted, and signed with
    /// the current key. To change keys, first add the next key here on every server, then make it the current
    /// one, and keep the old one here for a [#lifetime].
    ///
    /// @throws IllegalArgumentException for a key that is too short, and for more than 7
    public Sessions olderKeys(Bytes... older) {
        var all = checked(Stream.concat(Stream.of(key()), Stream.of(older)).toList());
        return new Sessions(store, all, idle, lifetime, cookie, secure, clock);
    }

    /// How long an unused session lasts; 30 min by default. A use is recorded after an eighth of this time.
    ///
    /// @throws IllegalArgumentException for a time that is not positive, or longer than 3650 days
    public Sessions idle(Duration time) {
        return new Sessions(store, keys, checked("idle", time), lifetime, cookie, secure, clock);
    }

    public Duration idle() {
        return idle;
    }

    /// How long a session lasts since it began or was renewed, used or not; 12 h by default.
    ///
    /// @throws IllegalArgumentException for a time that is not positive, or longer than 3650 days
    public Sessions lifetime(Duration time) {
        return new Sessions(store, keys, idle, checked("at most", time), cookie, secure, clock);
    }

    public Duration lifetime() {
        return lifetime;
    }

    private static Duration checked(String what, Duration time) {
        if (time.isPositive() && time.compareTo(LONGEST) <= 0) return time;
        throw new IllegalArgumentException(
                "sessions that last " + what + " " + Wording.of(time) + ": take more than 0, and 3650 days at most");
    }

    /// The cookie, without value, prefix and `Secure`: by default `session`, for every path of this host.
    ///
    /// @throws IllegalArgumentException for a cookie with a value or a prefix
    public Sessions cookie(Cookie shape) {
        boolean hasPrefix = shape.name().startsWith("__");
        if (hasPrefix || !shape.value().isEmpty()) {
            throw new IllegalArgumentException(
                    "the cookie " + shape + " for sessions: leave its value empty, and its name without __");
        }
        return new Sessions(store, keys, idle, lifetime, shape, secure, clock);
    }

    public Cookie cookie() {
        return cookie;
    }

    /// Whether user agents always use TLS, though it ends in front of this server.
    public Sessions secure(boolean always) {
        return new Sessions(store, keys, idle, lifetime, cookie, always, clock);
    }

    public boolean secure() {
        return secure;
    }

    /// The clock.
    public Sessions clock(InstantSource source) {
        return new Sessions(store, keys, idle, lifetime, cookie, secure, source);
    }

    public InstantSource clock() {
        return clock;
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var session = new SessionSlot(this, request);
            return EachResponse.of(next, request.with(HttpSession.OF_REQUEST, session), session::finish);
        };
    }

    // For a session.

    Optional<SessionStore> store() {
        return store;
    }

    List<Bytes> keys() {
        return keys;
    }

    /// The key that signs.
    Bytes key() {
        return keys.getFirst();
    }

    /// The token with the session from the store.
    Optional<SessionToken> found(SessionToken token) {
        if (store.isEmpty()) return Optional.of(token);
        return store.get().find(token.id()).map(session -> new SessionToken(token.id(), session));
    }

    /// The token for the cookie.
    SessionToken token(String id, StoredSession session) {
        return new SessionToken(
                id, store.isEmpty() ? session : new StoredSession(Map.of(), session.created(), session.used()));
    }

    /// Stores a new session.
    void add(String id, StoredSession session) {
        store.ifPresent(kept -> kept.add(id, session, until(session)));
    }

    /// Stores the changed session, or that it was used.
    ///
    /// @return false if it has ended meanwhile
    boolean keep(String id, StoredSession session, boolean isChanged) {
        if (store.isEmpty()) return true;
        return isChanged
                ? store.get().replace(id, session, until(session))
                : store.get().used(id, session.used(), until(session));
    }

    private Instant until(StoredSession session) {
        return earlier(session.created().plus(lifetime), session.used().plus(idle));
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /// Whether it has not expired. If the clock was set back, it lasts that much longer; a time further in the
    /// future than the idle time is not believed.
    boolean isAlive(StoredSession session, Instant now) {
        var latest = now.plus(idle);
        if (session.created().isAfter(latest) || session.used().isAfter(latest)) return false;
        return now.isBefore(session.created().plus(lifetime))
                && now.isBefore(session.used().plus(idle));
    }

    boolean isToNote(StoredSession session, Instant now) {
        return !now.isBefore(session.used().plus(idle.dividedBy(NOTED_PARTS)));
    }

    /// @throws IllegalStateException for a session that is too long
    void check(Map<String, String> values, SessionCookie into) {
        long bytes = values.entrySet().stream()
                .mapToLong(value -> length(value.getKey()) + length(value.getValue()))
                .sum();
        if (bytes > MOST_BYTES) throw tooLong(bytes, "store the data elsewhere, by user for instance");
        if (store.isPresent()) return;
        var token = new SessionToken("x".repeat(22), new StoredSession(values, Instant.EPOCH, Instant.EPOCH));
        int length = into.name().length() + token.signed(into.name(), key()).length();
        if (length > Cookies.MOST_BYTES) throw tooLong(bytes, "use Sessions.in, with a store");
    }

    private static long length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static IllegalStateException tooLong(long bytes, String remedy) {
        return new IllegalStateException("a session of " + bytes + " bytes is too long: " + remedy);
    }
}
