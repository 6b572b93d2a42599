package io.millrace.http.client;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.millrace.http.ClientFilter;
import io.millrace.http.Cookies;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.Origin;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/// Keeps the cookies that servers set, and sends them back (RFC 6265, with RFC 6265bis's rules for prefixes and
/// secure cookies). In memory, as long as this object exists; for any thread, and any number of clients.
///
/// ```java
/// HttpClient.of(ClientSettings.standard().redirects(5).cookies(CookieJar.create()))
/// ```
/// A cookie goes to the host that has set it, or, with `Domain`, to that domain and the names below it; only to
/// `https` if it is `Secure`; and only below its path. A cookie whose `Domain` is a single label (`com`) or an
/// address is not kept. **Public suffixes with more labels** (`co.uk`) are in a list that the JDK does not have:
/// a server below one can set cookies for its neighbours, unless [#create(InstantSource, Predicate)] gets a
/// predicate that knows them.
///
/// It holds 50 cookies of a domain and 3 000 in all, of 4096 bytes each. Those that are over leave first; then those
/// that are not `Secure`, so that a server without TLS pushes out none that is; among them those of the domain that
/// has the most, and the ones that were not used for the longest time. A request takes up to 8 KiB of them along,
/// those of the longest paths first. Cookies that a request has itself stand in front, and replace those of the same
/// name.
public final class CookieJar implements ClientFilter {
    private static final int MOST_OF_DOMAIN = 50;
    private static final int MOST = 3_000;
    private static final int MOST_SENT_BYTES = 8 << 10;

    /// Longest paths first, then as they came, which is the order of the map.
    private static final Comparator<StoredCookie> AS_SENT = Comparator.comparingInt(
                    (StoredCookie cookie) -> cookie.path().length())
            .reversed();

    private final InstantSource clock;
    private final Predicate<String> isPublicSuffix;

    /// In the order in which they were made; guarded by this.
    private final LinkedHashMap<StoredCookie.CookieKey, Used> all = new LinkedHashMap<>();

    /// Counts uses; guarded by this.
    private long uses;

    private static final class Used {
        private StoredCookie cookie;
        private long lastUse;

        Used(StoredCookie cookie) {
            this.cookie = cookie;
        }
    }

    private CookieJar(InstantSource clock, Predicate<String> isPublicSuffix) {
        this.clock = clock;
        this.isPublicSuffix = isPublicSuffix;
    }

    /// An empty jar.
    public static CookieJar create() {
        return create(InstantSource.system(), _ -> false);
    }

    /// An empty jar.
    ///
    /// @param clock the time for `Max-Age` and `Expires`
    /// @param isPublicSuffix whether a domain, in small letters, is shared by servers of several owners: a cookie
    ///     for it is kept for the host that sets it if that host has this name, and refused otherwise
    public static CookieJar create(InstantSource clock, Predicate<String> isPublicSuffix) {
        return new CookieJar(clock, isPublicSuffix);
    }

    /// How many cookies there are, expired ones included.
    public synchronized int size() {
        return all.size();
    }

    /// Removes all cookies.
    public synchronized void clear() {
        all.clear();
    }

    @Override
    public CompletionStage<Response> send(Request request, Rest next) {
        var to = BuiltRequest.copyOf(request).outbound();
        if (to.isEmpty()) return next.send(request);
        var origin = to.get().origin();
        return next.send(with(request, cookies(origin, request.path()))).thenApply(response -> {
            for (var field : response.headers().all("Set-Cookie")) set(field, origin, request.path());
            return response;
        });
    }

    private static Request with(Request request, List<StoredCookie> cookies) {
        var text = new StringBuilder(String.join("; ", request.headers("Cookie")));
        var own = Cookies.of(request).all().keySet();
        for (var cookie : cookies) {
            int length = cookie.name().length() + cookie.value().length() + 3;
            if (own.contains(cookie.name()) || text.length() + length > MOST_SENT_BYTES) continue;
            if (!text.isEmpty()) text.append("; ");
            text.append(cookie.name()).append('=').append(cookie.value());
        }
        return text.isEmpty() ? request : request.setHeader("Cookie", text.toString());
    }

    private long now() {
        return Math.floorDiv(clock.millis(), 1000);
    }

    private synchronized List<StoredCookie> cookies(Origin to, String path) {
        long now = now();
        var found = new ArrayList<StoredCookie>();
        for (var used : all.values()) {
            if (used.cookie.isOver(now) || !used.cookie.isFor(to, path)) continue;
            used.lastUse = ++uses;
            found.add(used.cookie);
        }
        found.sort(AS_SENT);
        return found;
    }

    private synchronized void set(String field, Origin from, String path) {
        long now = now();
        var parsed = StoredCookie.parse(field, from, path, now);
        if (parsed.isEmpty()) return;
        boolean isOfMany =
                !parsed.get().isHostOnly() && isPublicSuffix.test(parsed.get().domain());
        if (isOfMany && !from.host().equals(parsed.get().domain())) return;
        var cookie = isOfMany ? parsed.get().ofHost() : parsed.get();
        boolean isCovering = !from.isSecure() && all.values().stream().anyMatch(used -> cookie.wouldCover(used.cookie));
        if (isCovering) return;
        if (cookie.isOver(now)) {
            all.remove(cookie.key());
            return;
        }
        var used = all.computeIfAbsent(cookie.key(), _ -> new Used(cookie));
        used.cookie = cookie;
        used.lastUse = ++uses;
        makeRoom(cookie.domain(), now);
    }

    private void makeRoom(String domain, long now) {
        if (count(domain) <= MOST_OF_DOMAIN && all.size() <= MOST) return;
        all.values().removeIf(used -> used.cookie.isOver(now));
        while (count(domain) > MOST_OF_DOMAIN)
            removeOldest(used -> used.cookie.domain().equals(domain));
        while (all.size() > MOST) removeOldest(_ -> true);
    }

    private long count(String domain) {
        return all.values().stream()
                .filter(used -> used.cookie.domain().equals(domain))
                .count();
    }

    private void removeOldest(Predicate<Used> among) {
        var candidates = all.values().stream().filter(among).toList();
        var insecure =
                candidates.stream().filter(used -> !used.cookie.isSecure()).toList();
        if (!insecure.isEmpty()) candidates = insecure;
        var ofDomain = candidates.stream().collect(groupingBy(used -> used.cookie.domain(), counting()));
        candidates.stream()
                .min(comparingLong((Used used) -> -ofDomain.getOrDefault(used.cookie.domain(), 0L))
                        .thenComparingLong(used -> used.lastUse))
                .ifPresent(oldest -> all.remove(oldest.cookie.key()));
    }

    /// Only how many there are, because values are secret.
    @Override
    public String toString() {
        return size() + " cookies";
    }
}
