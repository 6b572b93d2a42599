package io.millrace.proxy.announce;

import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;

/// The limits of the proxy, as `docs/limits.md` names them.
public final class ProxyGuards {
    public static final Guard PROXY_HEADER =
            CountedGuard.declare("proxy-protocol.header", "a PROXY protocol header that is too long, or not a header");
    public static final Guard PROXY_HEADER_TIMEOUT =
            CountedGuard.declare("proxy-protocol.timeout", "a PROXY protocol header that is not complete in time");
    public static final Guard PROXY_PEER =
            CountedGuard.declare("proxy-protocol.peer", "a peer that may not send PROXY protocol headers");
    public static final Guard UPSTREAM_CONNECTIONS =
            CountedGuard.declare("upstream.connections", "connections to the backends of an upstream");
    public static final Guard BACKEND_CONNECTIONS =
            CountedGuard.declare("backend.connections", "connections to one backend");
    public static final Guard UPSTREAM_PENDING = CountedGuard.declare(
            "upstream.pending", "requests that wait for a connection to any backend of an upstream");
    public static final Guard BACKEND_PENDING =
            CountedGuard.declare("backend.pending", "requests that wait for a connection to one backend");
    public static final Guard UPSTREAM_REQUESTS =
            CountedGuard.declare("upstream.requests", "requests in flight to the backends of an upstream");
    public static final Guard BACKEND_REQUESTS =
            CountedGuard.declare("backend.requests", "requests in flight to one backend");
    public static final Guard UPSTREAM_RETRIES = CountedGuard.declare("upstream.retries", "requests that are retried");
    public static final Guard UPSTREAM_EJECTED =
            CountedGuard.declareEveryday("upstream.ejected", "backends that are ejected at a time");
    public static final Guard UPSTREAM_PANIC =
            CountedGuard.declare("upstream.panic", "so few backends are available that health is ignored");
    public static final Guard UPSTREAM_LIST =
            CountedGuard.declare("upstream.list", "a configuration that waits for its lists of backends");
    public static final Guard UPSTREAM_HEALTH_TIMEOUT = CountedGuard.declareEveryday(
            "upstream.health.timeout", "a backend's health check without an answer in time");
    public static final Guard WEBSOCKETS =
            CountedGuard.declare("http.websocket.open", "open WebSockets of a listener or a route of a proxy");
    public static final Guard WEBSOCKETS_PER_ADDRESS = CountedGuard.declare(
            "http.websocket.open-per-address", "open WebSockets of one client of a listener or a route of a proxy");
    public static final Guard ADMIN_WATCHERS =
            CountedGuard.declare("admin.watchers", "browsers that watch an admin page");
    public static final Guard ADMIN_MISTAKES =
            CountedGuard.declare("admin.mistakes", "wrong tokens of one client of an admin page");

    private ProxyGuards() {}

    /// Declares the guards, so that they are listed before they first act.
    public static void declare() {
        // The constants declare them, once.
    }
}
