package io.millrace.proxy.service;

import io.millrace.bytes.Bytes;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpHandler;
import io.millrace.http.PathForm;
import io.millrace.http.PathForms;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Stage;
import io.millrace.proxy.ProxyProtocol;
import io.millrace.proxy.announce.ReceivingLink.PassingLink;
import io.millrace.tls.TlsServer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A listener's handler by the current configuration. A request, or a layer 4 connection, ends with the
/// configuration that it began with.
final class SwappableHandler implements HttpHandler, PathForms, ErrorResponses {
    private volatile Service service;

    /// A handler for requests, or one for connections.
    ///
    /// @param paths the forms of paths that are accepted
    /// @param errors the bodies of errors that no route has made
    /// @param announcements the peers that may send PROXY protocol headers; empty for none
    /// @param tls the listener's TLS; empty for none
    /// @param challenges answers to certificate authorities; empty where certificates are files
    record Service(
            @Nullable HttpHandler requests,
            @Nullable HandlerFactory connections,
            PathForms paths,
            ErrorResponses errors,
            Optional<ProxyProtocol> announcements,
            Optional<TlsServer> tls,
            Optional<AcmeChallenges> challenges) {
        /// Unchanged TLS settings keep their sessions.
        private Service after(Service before) {
            return tls.equals(before.tls)
                    ? new Service(requests, connections, paths, errors, announcements, before.tls, challenges)
                    : this;
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

    /// The stage of a new connection.
    Stage.Link open(Stage.Context context) {
        var stage = service.announcements();
        return stage.isPresent() ? stage.get().open(context) : new PassingLink(Bytes.EMPTY);
    }

    /// The TLS of a new connection.
    Stage.Link secure(Stage.Context context) {
        var its = service;
        var tls = its.tls().orElseThrow();
        return its.challenges().<Stage>map(tls::proving).orElse(tls).open(context);
    }

    @Override
    public PathForm of(Supplier<String> host) {
        return service.paths().of(host);
    }

    @Override
    public Response of(Response error, Optional<Request> request, Optional<Throwable> cause) {
        return ErrorResponses.grpc(service.errors()).of(error, request, cause);
    }

    @Override
    public Response handle(Request request) throws Exception {
        return requests().handle(request);
    }
}
