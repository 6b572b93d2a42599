package io.millrace.proxy.announce;

import io.millrace.Guards;
import io.millrace.net.Guard;

/// The limits of the proxy, as `docs/limits.md` names them.
public final class ProxyGuards {
    public static final Guard PROXY_HEADER =
            Guards.declare("proxy-protocol.header", "a PROXY protocol header that is too long, or not a header");
    public static final Guard PROXY_HEADER_TIMEOUT =
            Guards.declare("proxy-protocol.timeout", "a PROXY protocol header that is not complete in time");
    public static final Guard PROXY_PEER =
            Guards.declare("proxy-protocol.peer", "a peer that may not send PROXY protocol headers");
    public static final Guard UPSTREAM_CONNECTIONS =
            Guards.declare("upstream.connections", "connections to the backends of an upstream");
    public static final Guard BACKEND_CONNECTIONS = Guards.declare("backend.connections", "connections to one backend");
    public static final Guard UPSTREAM_PENDING =
            Guards.declare("upstream.pending", "requests that wait for a connection to any backend of an upstream");
    public static final Guard BACKEND_PENDING =
            Guards.declare("backend.pending", "requests that wait for a connection to one backend");
    public static final Guard UPSTREAM_REQUESTS =
            Guards.declare("upstream.requests", "requests in flight to the backends of an upstream");
    public static final Guard BACKEND_REQUESTS =
            Guards.declare("backend.requests", "requests in flight to one backend");
    public static final Guard UPSTREAM_RETRIES = Guards.declare("upstream.retries", "requests that are retried");
    public static final Guard UPSTREAM_EJECTED =
            Guards.declare("upstream.ejected", "backends that are ejected at a time");
    public static final Guard UPSTREAM_PANIC =
            Guards.declare("upstream.panic", "so few backends are available that health is ignored");
    public static final Guard UPSTREAM_LIST =
            Guards.declare("upstream.list", "a configuration that waits for its lists of backends");
    public static final Guard UPSTREAM_HEALTH_TIMEOUT =
            Guards.declare("upstream.health.timeout", "a backend's health check without an answer in time");
    public static final Guard ADMIN_WATCHERS = Guards.declare("admin.watchers", "browsers that watch an admin page");

    private ProxyGuards() {}

    /// Declares the guards, so that they are listed before they first act.
    public static void declare() {
        // The constants declare them, once.
    }
}
