package io.millrace.proxy.service;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpHandler;
import io.millrace.http.PathForm;
import io.millrace.http.PathForms;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Stage;
import io.millrace.proxy.ProxyProtocol;
import io.millrace.proxy.announce.ReceivingLink.PassingLink;
import io.millrace.tls.TlsServer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a listener serves by the configuration that is in force. A request, or a connection of layer 4, that has
/// begun ends with the one it began with.
final class SwappableHandler implements HttpHandler, PathForms {
    private volatile Service service;

    /// Requests or connections, one of them.
    ///
    /// @param paths the forms of paths that are taken
    /// @param announcements who may say whose connection it is; empty for nobody
    /// @param tls who it is; empty where there is no TLS
    record Service(
            @Nullable HttpHandler requests,
            @Nullable HandlerFactory connections,
            PathForms paths,
            Optional<ProxyProtocol> announcements,
            Optional<TlsServer> tls) {
        /// One that is the same keeps its sessions.
        private Service after(Service before) {
            return tls.equals(before.tls) ? new Service(requests, connections, paths, announcements, before.tls) : this;
        }
    }

    SwappableHandler(Service first) {
        this.service = first;
    }

    void become(Service next) {
        service = next.after(service);
    }

    private HttpHandler requests() {
        var handler = service.requests();
        if (handler == null) throw new IllegalStateException("a listener of layer 4 has no requests");
        return handler;
    }

    HandlerFactory connections() {
        var factory = service.connections();
        if (factory == null) throw new IllegalStateException("a listener of layer 7 has no bare connections");
        return factory;
    }

    /// The stage of a connection that begins.
    Stage.Link open(Stage.Context context) {
        var stage = service.announcements();
        return stage.isPresent() ? stage.get().open(context) : new PassingLink(Bytes.EMPTY);
    }

    /// TLS of a connection that begins.
    Stage.Link secure(Stage.Context context) {
        return service.tls().orElseThrow().open(context);
    }

    @Override
    public PathForm of(Supplier<String> host) {
        return service.paths().of(host);
    }

    @Override
    public Response handle(Request request) throws Exception {
        return requests().handle(request);
    }
}
