package io.millrace.proxy.announce;

import io.millrace.Guards;
import io.millrace.net.Guard;

/// The limits of the proxy, as `docs/limits.md` names them.
public final class ProxyGuards {
    public static final Guard PROXY_HEADER =
            Guards.declare("proxy-protocol.header", "a header of the PROXY protocol that is too long, or is none");
    public static final Guard PROXY_HEADER_TIMEOUT =
            Guards.declare("proxy-protocol.timeout", "a header of the PROXY protocol that does not come to its end");
    public static final Guard PROXY_PEER =
            Guards.declare("proxy-protocol.peer", "a peer that may not send such headers");
    public static final Guard UPSTREAM_CONNECTIONS =
            Guards.declare("upstream.connections", "connections to the backends of an upstream");
    public static final Guard BACKEND_CONNECTIONS = Guards.declare("backend.connections", "connections to one backend");
    public static final Guard UPSTREAM_PENDING =
            Guards.declare("upstream.pending", "requests that wait for a connection to a backend of an upstream");
    public static final Guard BACKEND_PENDING =
            Guards.declare("backend.pending", "requests that wait for a connection to one backend");
    public static final Guard UPSTREAM_REQUESTS =
            Guards.declare("upstream.requests", "requests that the backends of an upstream have to answer");
    public static final Guard BACKEND_REQUESTS =
            Guards.declare("backend.requests", "requests that one backend has to answer");
    public static final Guard UPSTREAM_RETRIES = Guards.declare("upstream.retries", "requests that are tried again");
    public static final Guard UPSTREAM_EJECTED =
            Guards.declare("upstream.ejected", "backends that are ejected at a time");
    public static final Guard UPSTREAM_PANIC =
            Guards.declare("upstream.panic", "so few backends may be chosen that health does not count");
    public static final Guard UPSTREAM_LIST =
            Guards.declare("upstream.list", "a configuration that waits to know its backends");
    public static final Guard UPSTREAM_HEALTH_TIMEOUT =
            Guards.declare("upstream.health.timeout", "a check of a backend that is not answered");
    public static final Guard ADMIN_WATCHERS = Guards.declare("admin.watchers", "browsers that watch an admin page");

    private ProxyGuards() {}

    /// Declares them, so that those are listed, too, that have not acted yet.
    public static void declare() {
        // The constants do, once.
    }
}
