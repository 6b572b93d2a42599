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

/// What a server remembers of a user agent from one request to the next, behind a [Sessions] filter: texts by
/// name. **Lent** until the response of its request begins; what is changed later would be lost, and throws
/// [IllegalStateException]. Used by one thread at a time.
///
/// ```java
/// var session = HttpSession.of(request);
/// session.renew();
/// session.set("user", user.id());
/// ```
/// It begins when something is set. Who logs in gets a new id with [#renew], so that nobody knows it who could
/// make the user agent take one before.
public final class HttpSession {
    static final Attribute<SessionSlot> OF_REQUEST = Attribute.named("session");

    private static final int ID_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Sessions rules;
    private final SessionCookie cookie;

    /// What was there, and is not over.
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

    /// That of a request, which is looked for now; an empty one where there is none.
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

    /// What was set under a name.
    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /// Remembers a text.
    ///
    /// @throws IllegalStateException when all of it would be too long (`http.sessions`), and once the
    ///     response has begun
    public void set(String name, String value) {
        checkNotOver();
        var more = new LinkedHashMap<>(values);
        more.put(name, value);
        rules.check(more, cookie);
        isChanged |= !value.equals(values.put(name, value));
    }

    /// Forgets what was set under a name.
    ///
    /// @throws IllegalStateException once the response has begun
    public void remove(String name) {
        checkNotOver();
        isChanged |= values.remove(name) != null;
    }

    /// Goes on under another id, and from now on: for who logs in, or gets more rights.
    ///
    /// @throws IllegalStateException once the response has begun
    public void renew() {
        checkNotOver();
        id = newId();
        created = rules.clock().instant();
        isChanged = true;
    }

    /// Forgets all of it: for who logs out. What is set behind that begins another one.
    ///
    /// @throws IllegalStateException once the response has begun
    public void end() {
        renew();
        values.clear();
    }

    /// Whether there is none yet: what a user agent without one has.
    public boolean isNew() {
        return found.isEmpty();
    }

    /// A name of it for a log that nobody can use: the beginning of its id.
    @Override
    public String toString() {
        return "session " + id.substring(0, 6);
    }

    private void checkNotOver() {
        if (!isOver) return;
        throw new IllegalStateException(
                "the response has begun, so a session does not change any more: change it before its handler returns,"
                        + " or its stage completes");
    }

    // When there is a response.

    /// It was looked for too late to change.
    void over() {
        isOver = true;
    }

    /// Keeps it, and tells the user agent, if there is something to tell.
    Response finish(Response response) {
        if (!isOver) toSet = kept();
        isOver = true;
        if (toSet.isEmpty()) return response;
        var told = toSet.get().addTo(response);
        // What is one user agent's is in no cache that others ask.
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
        // Another request has ended it, or renewed it, and what that has set is the user agent's.
        else if (!rules.keep(id, session, isChanged)) return Optional.empty();
        return isNew || isChanged || isToTell()
                ? Optional.of(cookie.of(rules.token(id, session).signed(cookie.name(), rules.key())))
                : Optional.empty();
    }

    /// Whether the user agent hears that it is used: the cookie has that, or an end, or an old signature.
    private boolean isToTell() {
        return rules.store().isEmpty() || rules.cookie().maxAge().isPresent() || !cookie.isOfNewestKey();
    }

    /// Whether it is time to note down that it is used, or to sign it with a newer key.
    private boolean isStale(Instant now) {
        return !cookie.isOfNewestKey()
                || found.filter(it -> rules.isToNote(it.session(), now)).isPresent();
    }
}
