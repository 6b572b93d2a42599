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

/// A filter that gives handlers a [HttpSession]: what a server remembers of a user agent. Immutable: a property
/// is set by its name, which returns a copy, and read by the same name. Any thread.
///
/// ```java
/// var sessions = Sessions.in(MemorySessions.standard(), key).idle(Duration.ofMinutes(20));
/// HttpHandler app = routes.filter(sessions);
/// ```
/// The cookie is signed with HMAC-SHA-256, `HttpOnly`, and `SameSite=Lax`; over TLS it is `Secure`, and its
/// name begins with `__Host-`. What is not signed, is over, or is of another name counts as nothing. A
/// session is looked for when its handler asks for it, and begins when something is set: who only looks at
/// pages gets no cookie.
///
/// Nobody may read what a session has: [#in] keeps it here. [#inCookies] has it in the cookie, which is signed
/// and not encrypted, so that whoever has the user agent reads it; and who copies the cookie has the session
/// until that is over, logged out or not; and a request that was under way meanwhile may set it once more.
@CheckReturnValue
public final class Sessions implements HttpFilter {
    private static final int LEAST_KEY_BYTES = 32;
    private static final int MOST_KEYS = 8;
    private static final Duration LONGEST = Duration.ofDays(3650);

    /// Of names and values, in UTF-8 (`http.sessions`).
    private static final int MOST_BYTES = 4096;

    /// Of the idle time: so much may pass before it is noted down that a session is used.
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

    /// Sessions that a store keeps; the cookie has their id alone.
    ///
    /// @param key of 32 bytes or more, at random, which every server of the application has
    /// @throws IllegalArgumentException for a shorter one
    public static Sessions in(SessionStore store, Bytes key) {
        return of(Optional.of(store), key);
    }

    /// Sessions that are in the cookie, up to some 2 800 bytes of names and values; as [#in].
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

    /// Keys that have signed before, instead of those that were there: what they signed is taken, and signed
    /// with the new one. So keys change: first every server knows the next one here, then it becomes the first,
    /// and the old one stays here for a [#lifetime].
    ///
    /// @throws IllegalArgumentException for a key that is too short, and for more than 7
    public Sessions olderKeys(Bytes... older) {
        var all = checked(Stream.concat(Stream.of(key()), Stream.of(older)).toList());
        return new Sessions(store, all, idle, lifetime, cookie, secure, clock);
    }

    /// How long a session lasts that is not used; 30 min by default. That it is used is noted down after an
    /// eighth of it.
    ///
    /// @throws IllegalArgumentException for one that is not positive, or longer than 3650 days
    public Sessions idle(Duration time) {
        return new Sessions(store, keys, checked("idle", time), lifetime, cookie, secure, clock);
    }

    public Duration idle() {
        return idle;
    }

    /// How long it lasts from its beginning, or from when it was renewed, used or not; 12 h by default.
    ///
    /// @throws IllegalArgumentException for one that is not positive, or longer than 3650 days
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

    /// The cookie, but for its value, its prefix, and whether it is secure: `session`, for every path of this
    /// host, by default.
    ///
    /// @throws IllegalArgumentException for one with a value or a prefix
    public Sessions cookie(Cookie shape) {
        boolean hasPrefix = shape.name().startsWith("__");
        if (hasPrefix || !shape.value().isEmpty()) {
            throw new IllegalArgumentException(
                    "the cookie " + shape + " of sessions: leave its value empty, and out what begins with __");
        }
        return new Sessions(store, keys, idle, lifetime, shape, secure, clock);
    }

    public Cookie cookie() {
        return cookie;
    }

    /// Whether user agents always come over TLS, though not to this server: where that has ended
    /// in front of it.
    public Sessions secure(boolean always) {
        return new Sessions(store, keys, idle, lifetime, cookie, always, clock);
    }

    public boolean secure() {
        return secure;
    }

    /// What time it is.
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

    /// The one that signs.
    Bytes key() {
        return keys.getFirst();
    }

    /// With what the store has of it.
    Optional<SessionToken> found(SessionToken token) {
        if (store.isEmpty()) return Optional.of(token);
        return store.get().find(token.id()).map(session -> new SessionToken(token.id(), session));
    }

    /// What goes into the cookie.
    SessionToken token(String id, StoredSession session) {
        return new SessionToken(
                id, store.isEmpty() ? session : new StoredSession(Map.of(), session.created(), session.used()));
    }

    /// Keeps a new one.
    void add(String id, StoredSession session) {
        store.ifPresent(kept -> kept.add(id, session, until(session)));
    }

    /// Keeps another state of one, or that it was used.
    ///
    /// @return false when it has ended meanwhile
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

    /// Whether it is not over. A clock that was set back makes it last so much longer; one that was ahead for
    /// longer than a session may be idle is not believed.
    boolean isAlive(StoredSession session, Instant now) {
        var latest = now.plus(idle);
        if (session.created().isAfter(latest) || session.used().isAfter(latest)) return false;
        return now.isBefore(session.created().plus(lifetime))
                && now.isBefore(session.used().plus(idle));
    }

    boolean isToNote(StoredSession session, Instant now) {
        return !now.isBefore(session.used().plus(idle.dividedBy(NOTED_PARTS)));
    }

    /// @throws IllegalStateException for more than is kept
    void check(Map<String, String> values, SessionCookie into) {
        long bytes = values.entrySet().stream()
                .mapToLong(value -> length(value.getKey()) + length(value.getValue()))
                .sum();
        if (bytes > MOST_BYTES) throw tooLong(bytes, "keep it elsewhere, under the user's name for instance");
        if (store.isPresent()) return;
        var token = new SessionToken("x".repeat(22), new StoredSession(values, Instant.EPOCH, Instant.EPOCH));
        int length = into.name().length() + token.signed(into.name(), key()).length();
        if (length > Cookies.MOST_BYTES) throw tooLong(bytes, "take Sessions.in, with a store");
    }

    private static long length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static IllegalStateException tooLong(long bytes, String remedy) {
        return new IllegalStateException("a session of " + bytes + " bytes is too long: " + remedy);
    }
}
