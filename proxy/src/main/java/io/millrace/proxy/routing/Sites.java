package io.millrace.proxy.routing;

import io.millrace.http.Request;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All routes, by host. Immutable.
final class Sites {
    private final Hosts<Site> named;
    private final Site any;
    private final boolean hasHosts;

    private Sites(Builder builder) {
        var built = new HashMap<String, Site>();
        builder.named.forEach((host, site) -> built.put(host, site.build()));
        this.named = Hosts.of(built);
        this.any = builder.any.build();
        this.hasHosts = !built.isEmpty();
    }

    /// The most specific route whose conditions hold.
    ///
    /// @param path the request's path, in the reading to match
    @Nullable
    RouteRule find(Request request, String path) {
        if (!hasHosts) return any.find(request, path);
        var host = request.header("Host");
        var found = host.isEmpty() ? null : findNamed(Hosts.compared(host.get()), request, path);
        return found != null ? found : any.find(request, path);
    }

    private @Nullable RouteRule findNamed(String host, Request request, String path) {
        int end = Hosts.end(host);
        for (int at = 0; at >= 0; at = Hosts.next(host, at, end)) {
            var site = named.at(host, at, end);
            var found = site == null ? null : site.find(request, path);
            if (found != null) return found;
        }
        return null;
    }

    /// Builds the sites; used by one thread.
    static final class Builder {
        private final Map<String, Site.Builder> named = new HashMap<>();
        private final Site.Builder any = new Site.Builder();

        void add(RouteRule rule) {
            var hosts = rule.match().hosts();
            if (hosts.isEmpty()) any.add(rule);
            for (var host : hosts)
                named.computeIfAbsent(host, _ -> new Site.Builder()).add(rule);
        }

        Sites build() {
            return new Sites(this);
        }
    }
}
