package io.millrace.proxy.announce;

import io.millrace.loop.CountedGuard;
import io.millrace.net.Guard;

/// The limits of the proxy, as `docs/limits.md` names them.
public final class ProxyGuards {
    public static final Guard PROXY_HEADER = CountedGuard.declare(
            "proxy-protocol.header", "a header of the PROXY protocol that is too long, or is none");
    public static final Guard PROXY_HEADER_TIMEOUT = CountedGuard.declare(
            "proxy-protocol.timeout", "a header of the PROXY protocol that does not come to its end");
    public static final Guard PROXY_PEER =
            CountedGuard.declare("proxy-protocol.peer", "a peer that may not send such headers");
    public static final Guard UPSTREAM_CONNECTIONS =
            CountedGuard.declare("upstream.connections", "connections to the backends of an upstream");
    public static final Guard BACKEND_CONNECTIONS =
            CountedGuard.declare("backend.connections", "connections to one backend");
    public static final Guard UPSTREAM_PENDING =
            CountedGuard.declare("upstream.pending", "requests that wait for a connection to a backend of an upstream");
    public static final Guard BACKEND_PENDING =
            CountedGuard.declare("backend.pending", "requests that wait for a connection to one backend");
    public static final Guard UPSTREAM_REQUESTS =
            CountedGuard.declare("upstream.requests", "requests that the backends of an upstream have to answer");
    public static final Guard BACKEND_REQUESTS =
            CountedGuard.declare("backend.requests", "requests that one backend has to answer");
    public static final Guard UPSTREAM_RETRIES =
            CountedGuard.declare("upstream.retries", "requests that are tried again");
    public static final Guard UPSTREAM_EJECTED =
            CountedGuard.declare("upstream.ejected", "backends that are ejected at a time");
    public static final Guard UPSTREAM_PANIC =
            CountedGuard.declare("upstream.panic", "so few backends may be chosen that health does not count");
    public static final Guard UPSTREAM_LIST =
            CountedGuard.declare("upstream.list", "a configuration that waits to know its backends");
    public static final Guard UPSTREAM_HEALTH_TIMEOUT =
            CountedGuard.declare("upstream.health.timeout", "a check of a backend that is not answered");
    public static final Guard ADMIN_WATCHERS =
            CountedGuard.declare("admin.watchers", "browsers that watch an admin page");

    private ProxyGuards() {}

    /// Declares them, so that those are listed, too, that have not acted yet.
    public static void declare() {
        // The constants do, once.
    }
}
