package io.millrace.proxy.backend;

import io.millrace.http.Cookie;
import io.millrace.http.Cookie.SameSite;
import io.millrace.http.operation.SecretHash;
import io.millrace.net.CheckReturnValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A cookie by which a client's requests go to the same backend, as long as that can take them.
///
/// ```java
/// Upstream.of("http://10.0.0.1:8080", "http://10.0.0.2:8080").sticky(StickyCookie.of("backend", secret))
/// ```
/// Its value is an HMAC-SHA-256 of the upstream's name and the backend's address: it tells nobody the address, and
/// all processes with the same secret agree on it. A value that is no backend's is ignored. The cookie is `HttpOnly`,
/// and `Secure` if the request was. Whenever a response comes from another backend than the request's cookie says,
/// it sets a new one.
///
/// Immutable: a property is set by its name, which returns a copy, and read by the same name; two with equal
/// settings are equal. Any thread.
@CheckReturnValue
public final class StickyCookie {
    /// The fewest characters of a secret.
    public static final int LEAST_SECRET = 16;

    /// Bytes of the hash in a cookie: enough that nobody finds one by trying.
    private static final int ID_BYTES = 16;

    private final String secret;
    private final Cookie cookie;

    private StickyCookie(String secret, Cookie cookie) {
        this.secret = secret;
        this.cookie = cookie;
    }

    /// A cookie for all paths that ends with the browser's session, and that is `SameSite=Lax`.
    ///
    /// @param secret at least 16 characters, the same for all processes that share clients
    /// @throws IllegalArgumentException for a name that no cookie can have, and for a shorter secret
    public static StickyCookie of(String name, String secret) {
        if (secret.length() < LEAST_SECRET) {
            throw new IllegalArgumentException("the secret of a sticky cookie has " + secret.length()
                    + " characters: take " + LEAST_SECRET + " or more that nobody can guess");
        }
        return new StickyCookie(secret, Cookie.of(name, ""));
    }

    public String name() {
        return cookie.name();
    }

    /// The paths that it comes back to: this one and those below; `/` by default.
    ///
    /// @throws IllegalArgumentException for a path that a cookie cannot have
    public StickyCookie path(String below) {
        return new StickyCookie(secret, cookie.path(below));
    }

    public String path() {
        return cookie.path();
    }

    /// Whether it comes with requests that other sites cause; `LAX` by default. With `NONE` it is always `Secure`.
    public StickyCookie sameSite(SameSite rule) {
        return new StickyCookie(secret, cookie.secure(true).sameSite(rule).secure(isSecure(cookie, rule)));
    }

    public SameSite sameSite() {
        return cookie.sameSite();
    }

    private static boolean isSecure(Cookie cookie, SameSite rule) {
        return rule == SameSite.NONE || Cookie.of(cookie.name(), "").secure();
    }

    /// How long browsers keep it after it was set, in whole seconds; by default until their session ends.
    ///
    /// @throws IllegalArgumentException for a part of a second, or less than 1 s
    public StickyCookie maxAge(Duration age) {
        if (!age.isPositive()) throw new IllegalArgumentException("a sticky cookie is kept for 1 s or more");
        return new StickyCookie(secret, cookie.maxAge(age));
    }

    public Optional<Duration> maxAge() {
        return cookie.maxAge();
    }

    /// The value of `Set-Cookie`.
    ///
    /// @param isSecure whether the request came over TLS
    public String text(String id, boolean isSecure) {
        var made = new Cookie(
                cookie.name(),
                id,
                cookie.path(),
                cookie.domain(),
                cookie.maxAge(),
                isSecure || cookie.secure(),
                true,
                cookie.sameSite());
        return made.field();
    }

    /// The ids of an upstream's backends.
    ///
    /// @param named the name of a backend, the same in every process
    public <T> Ids<T> ids(String upstream, Function<T, String> named) {
        return new Ids<>(new SecretHash(secret.getBytes(StandardCharsets.UTF_8)), upstream, named);
    }

    private List<Object> values() {
        return List.of(secret, cookie);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof StickyCookie other && values().equals(other.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /// Without the secret.
    @Override
    public String toString() {
        return "StickyCookie[" + cookie + "]";
    }

    /// The ids of the members of a list, made again when there is another list. Any thread.
    public static final class Ids<T> {
        private final SecretHash hash;
        private final String upstream;
        private final Function<T, String> named;
        private volatile Known<T> known = new Known<>(List.of(), Map.of(), Map.of());

        private record Known<T>(List<T> members, Map<String, T> byId, Map<T, String> ids) {}

        private Ids(SecretHash hash, String upstream, Function<T, String> named) {
            this.hash = hash;
            this.upstream = upstream;
            this.named = named;
        }

        /// The member with an id; null for an id that is none's.
        public @Nullable T find(String id, List<T> members) {
            return known(members).byId.get(id);
        }

        /// The id of a member, or of one that has left.
        public String of(T member, List<T> members) {
            var its = known(members).ids.get(member);
            return its == null ? made(member) : its;
        }

        @SuppressWarnings("ReferenceEquality") // a list that changes is another one
        private Known<T> known(List<T> members) {
            var now = known;
            if (now.members == members) return now;
            var byId = new HashMap<String, T>();
            var ids = new HashMap<T, String>();
            for (var member : members) {
                var before = now.ids.get(member);
                var id = before == null ? made(member) : before;
                byId.put(id, member);
                ids.put(member, id);
            }
            known = now = new Known<>(members, byId, ids);
            return now;
        }

        private String made(T member) {
            var whole = hash.of(upstream + "\n" + named.apply(member));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(whole, ID_BYTES));
        }
    }
}
