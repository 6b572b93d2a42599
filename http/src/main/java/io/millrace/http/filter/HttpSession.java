package io.millrace.http.filter;

import io.millrace.http.Attribute;
import io.millrace.http.Cookie;
import io.millrace.http.Request;
import io.millrace.http.Response;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A user agent's session, which a server keeps from one request to the next, behind a [Sessions] filter: texts
/// by name. **Lent** until the response of its request begins; a later change would be lost, and throws
/// [IllegalStateException]. Used by one thread at a time.
///
/// ```java
/// var session = HttpSession.of(request);
/// session.renew();
/// session.set("user", user.id());
/// ```
/// It begins when something is set. Call [#renew] when a user logs in: the new id is unknown to anyone who could
/// have planted the old one in the user agent.
public final class HttpSession {
    static final Attribute<SessionSlot> OF_REQUEST = Attribute.named("session");

    private static final int ID_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Sessions rules;
    private final SessionCookie cookie;

    /// The session from the cookie, if it has not expired.
    private final Optional<SessionToken> found;

    private final Map<String, String> values;
    private String id;
    private Instant created;
    private boolean isChanged;
    private boolean isOver;
    private Optional<Cookie> toSet = Optional.empty();

    HttpSession(Sessions rules, SessionCookie cookie) {
        this.rules = rules;
        this.cookie = cookie;
        var now = rules.clock().instant();
        found = cookie.token().flatMap(rules::found).filter(it -> rules.isAlive(it.session(), now));
        values = new LinkedHashMap<>(found.map(it -> it.session().values()).orElse(Map.of()));
        id = found.map(SessionToken::id).orElseGet(HttpSession::newId);
        created = found.map(it -> it.session().created()).orElse(now);
    }

    /// The session of a request, which is looked up now; an empty one if there is none.
    ///
    /// @throws IllegalStateException without a [Sessions] filter in front
    public static HttpSession of(Request request) {
        return request.attribute(OF_REQUEST)
                .orElseThrow(() -> new IllegalStateException(
                        "there are no sessions here: put a Sessions filter around the handler of " + request))
                .open();
    }

    private static String newId() {
        var bytes = new byte[ID_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// The text with this name.
    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /// Sets a text.
    ///
    /// @throws IllegalStateException if the session becomes too long (`http.sessions`), and once the response has
    ///     begun
    public void set(String name, String value) {
        checkNotOver();
        var more = new LinkedHashMap<>(values);
        more.put(name, value);
        rules.check(more, cookie);
        isChanged |= !value.equals(values.put(name, value));
    }

    /// Removes the text with this name.
    ///
    /// @throws IllegalStateException once the response has begun
    public void remove(String name) {
        checkNotOver();
        isChanged |= values.remove(name) != null;
    }

    /// Continues under another id, with a new lifetime: for users who log in, or get more rights.
    ///
    /// @throws IllegalStateException once the response has begun
    public void renew() {
        checkNotOver();
        id = newId();
        created = rules.clock().instant();
        isChanged = true;
    }

    /// Ends the session: for users who log out. Texts set after that begin another one.
    ///
    /// @throws IllegalStateException once the response has begun
    public void end() {
        renew();
        values.clear();
    }

    /// Whether there is no session yet, as with a new user agent.
    public boolean isNew() {
        return found.isEmpty();
    }

    /// A name for logs that nobody can misuse: the beginning of its id.
    @Override
    public String toString() {
        return "session " + id.substring(0, 6);
    }

    private void checkNotOver() {
        if (!isOver) return;
        throw new IllegalStateException(
                "the response has begun, so its session cannot change: change it before the handler returns,"
                        + " or the stage completes");
    }

    // At the response.

    /// It is too late to look up or change the session.
    void over() {
        isOver = true;
    }

    /// Stores the session, and sets the cookie, if anything has changed.
    Response finish(Response response) {
        if (!isOver) toSet = kept();
        isOver = true;
        if (toSet.isEmpty()) return response;
        var told = toSet.get().addTo(response);
        // A response with a session must not be in a shared cache.
        boolean isPrivate = told.header("Cache-Control")
                .filter(said -> said.contains("no-store") || said.contains("private"))
                .isPresent();
        return isPrivate ? told : told.setHeader("Cache-Control", "no-store");
    }

    private Optional<Cookie> kept() {
        boolean hasLeft =
                found.isPresent() && (values.isEmpty() || !found.get().id().equals(id));
        if (hasLeft) rules.store().ifPresent(store -> store.remove(found.get().id()));
        if (values.isEmpty()) {
            return cookie.isThere() ? Optional.of(cookie.of("").maxAge(Duration.ZERO)) : Optional.empty();
        }
        boolean isNew = found.isEmpty() || hasLeft;
        var now = rules.clock().instant();
        if (!isNew && !isChanged && !isStale(now)) return Optional.empty();
        var session = new StoredSession(values, created, now);
        if (isNew) rules.add(id, session);
        // Another request has ended or renewed the session; the user agent keeps the cookie from that request.
        else if (!rules.keep(id, session, isChanged)) return Optional.empty();
        return isNew || isChanged || isToTell()
                ? Optional.of(cookie.of(rules.token(id, session).signed(cookie.name(), rules.key())))
                : Optional.empty();
    }

    /// Whether the cookie must be sent on use: it has the values, or an expiry, or an old signature.
    private boolean isToTell() {
        return rules.store().isEmpty() || rules.cookie().maxAge().isPresent() || !cookie.isOfNewestKey();
    }

    /// Whether it is time to record that the session is used, or to sign it with a newer key.
    private boolean isStale(Instant now) {
        return !cookie.isOfNewestKey()
                || found.filter(it -> rules.isToNote(it.session(), now)).isPresent();
    }
}
