package io.millrace.proxy.service;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.tls.TlsServer;

/// Refuses requests for a host whose rules for client certificates differ from those of the connection's
/// server name (421, RFC 9110 section 15.5.20): the client has to connect anew, and present its
/// certificate.
record Misdirected(TlsServer tls) implements HttpFilter {
    static Misdirected from(TlsServer tls) {
        return new Misdirected(tls);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> isRight(request) ? next.handle(request) : Response.status(421);
    }

    private boolean isRight(Request request) {
        var security = request.security();
        if (security.isEmpty()) return true;
        var host = withoutPort(request.header("Host").orElse(""));
        return security.get().serverName().filter(host::equalsIgnoreCase).isPresent()
                || tls.areAlike(security.get().serverName(), host);
    }

    private static String withoutPort(String host) {
        int colon = host.indexOf(':', host.lastIndexOf(']') + 1);
        return colon < 0 ? host : host.substring(0, colon);
    }
}
