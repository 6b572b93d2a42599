package io.millrace.proxy.routing;

import io.millrace.http.Request;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All routes, by their hosts. Immutable.
final class Sites {
    private static final String WILDCARD = "*.";

    private final Regions<Site> named;

    /// By what stands behind the star and its dot.
    private final Regions<Site> below;

    private final Site any;
    private final boolean hasHosts;

    private Sites(Builder builder) {
        this.named = Regions.ignoringCase(built(builder.named));
        this.below = Regions.ignoringCase(built(builder.below));
        this.any = builder.any.build();
        this.hasHosts = !builder.named.isEmpty() || !builder.below.isEmpty();
    }

    private static Map<String, Site> built(Map<String, Site.Builder> builders) {
        var built = new HashMap<String, Site>();
        builders.forEach((host, site) -> built.put(host, site.build()));
        return built;
    }

    /// The most special route whose conditions hold.
    @Nullable
    Rule find(Request request) {
        if (!hasHosts) return any.find(request);
        var host = request.header("Host");
        var found = host.isEmpty() ? null : find(request, host.get());
        return found != null ? found : any.find(request);
    }

    private @Nullable Rule find(Request request, String authority) {
        int end = endOfHost(authority);
        var site = named.find(authority, 0, end);
        var found = site == null ? null : site.find(request);
        for (int dot = authority.indexOf('.'); found == null && dot > 0 && dot < end; ) {
            site = below.find(authority, dot + 1, end);
            if (site != null) found = site.find(request);
            dot = authority.indexOf('.', dot + 1);
        }
        return found;
    }

    /// Without a port, and without the dot that a whole name may end with.
    private static int endOfHost(String authority) {
        int colon = authority.indexOf(':', authority.startsWith("[") ? authority.indexOf(']') + 1 : 0);
        int end = colon < 0 ? authority.length() : colon;
        return end > 0 && authority.charAt(end - 1) == '.' ? end - 1 : end;
    }

    /// Puts them together; used by one thread.
    static final class Builder {
        private final Map<String, Site.Builder> named = new HashMap<>();
        private final Map<String, Site.Builder> below = new HashMap<>();
        private final Site.Builder any = new Site.Builder();

        void add(Rule rule) {
            var hosts = rule.match().hosts();
            if (hosts.isEmpty()) any.add(rule);
            for (var host : hosts) site(host).add(rule);
        }

        private Site.Builder site(String host) {
            if (!host.startsWith(WILDCARD)) return named.computeIfAbsent(host, _ -> new Site.Builder());
            return below.computeIfAbsent(host.substring(WILDCARD.length()), _ -> new Site.Builder());
        }

        Sites build() {
            return new Sites(this);
        }
    }
}
