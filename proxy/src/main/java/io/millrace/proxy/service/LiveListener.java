package io.millrace.proxy.service;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Tcp;
import io.millrace.http.HttpSettings;
import io.millrace.http.RequestListener;
import io.millrace.http.server.Http;
import io.millrace.loop.HostLookup;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.net.HandlerFactory;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.tls.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;

/// A listener and its handler, which may change.
final class LiveListener {
    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    private final ListenerSettings settings;
    private final SwappableHandler current;
    private final Server server;

    private LiveListener(ListenerSettings settings, SwappableHandler current, Server server) {
        this.settings = settings;
        this.current = current;
        this.server = server;
    }

    /// Starts to listen.
    ///
    /// @param shared with the listening sockets of other processes
    /// @param dispatch where requests are handled
    /// @param told hears of requests that have ended
    /// @throws IOException if it cannot, with the address
    static LiveListener open(
            ListenerSettings settings,
            SwappableHandler.Service first,
            EventLoops loops,
            UnaryOperator<Listen> shared,
            Dispatch dispatch,
            RequestListener told)
            throws IOException {
        var current = new SwappableHandler(first);
        var listen =
                Listen.on(HostLookup.resolved(settings.address())).loops(loops).maxConnections(settings.connections());
        listen = shared.apply(listen);
        if (settings.proxyProtocol().isPresent()) listen = listen.through(current::open);
        if (settings.tls().isPresent()) listen = listen.through(current::secure);
        if (settings.isPassingTls()) listen = listen.through(Tls.passing());
        try {
            return new LiveListener(settings, current, serve(settings, listen, current, dispatch, told));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static Server serve(
            ListenerSettings settings,
            Listen listen,
            SwappableHandler current,
            Dispatch dispatch,
            RequestListener told) {
        if (settings.layer() == 7) {
            var limits = settings.limits();
            var http = HttpSettings.standard()
                    .limits(limits.http().paths(current))
                    .errors(current)
                    .listener(told);
            var bounded = listen.writeTimeout(limits.writeTimeout());
            return dispatch instanceof Dispatch.OnLoop
                    ? Http.listen(bounded, http, current)
                    : Http.serve(bounded.dispatch(dispatch), http, current);
        }
        HandlerFactory connections = connection -> current.connections().open(connection);
        return Tcp.listen(settings.idle().isPositive() ? listen.idleTimeout(settings.idle()) : listen, connections);
    }

    /// Whether it is the listener for these settings: of several on a port that the system chose, the one
    /// with the same name.
    boolean isFor(ListenerSettings wanted) {
        boolean isAnyPort = wanted.address() instanceof InetSocketAddress inet && inet.getPort() == 0;
        return settings.address().equals(wanted.address())
                && (!isAnyPort || settings.name().equals(wanted.name()));
    }

    /// Routes and trusted networks can change while it serves; its limits cannot.
    void checkSame(ListenerSettings wanted) {
        if (wanted.layer() != settings.layer()) {
            throw new IllegalArgumentException("listener " + wanted.name() + ": layer " + wanted.layer()
                    + " instead of " + settings.layer() + " needs a restart, or another address");
        }
        if (wanted.proxyProtocol().isPresent() && settings.proxyProtocol().isEmpty()) {
            throw new IllegalArgumentException(
                    "listener " + wanted.name() + ": to add proxy-protocol needs a restart, or another address");
        }
        boolean isTls = wanted.tls().isPresent();
        if (isTls != settings.tls().isPresent() || wanted.isPassingTls() != settings.isPassingTls()) {
            throw new IllegalArgumentException("listener " + wanted.name()
                    + ": a change between TLS that ends here, forwarded TLS, and none needs a restart, or another"
                    + " address");
        }
        boolean isSame = wanted.limits().equals(settings.limits())
                && wanted.connections() == settings.connections()
                && wanted.idle().equals(settings.idle());
        if (isSame) return;
        LOG.log(Level.WARNING, "{0}: changed limits take effect with the next start", this);
    }

    void tellItListens() {
        LOG.log(Level.INFO, "{0} listens", this);
    }

    void become(SwappableHandler.Service next) {
        current.become(next);
    }

    Server server() {
        return server;
    }

    @Override
    public String toString() {
        return "listener " + settings.name() + " on " + Wording.of(server.address());
    }
}
