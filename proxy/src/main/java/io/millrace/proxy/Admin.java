package io.millrace.proxy;

import io.millrace.EventLoops;
import io.millrace.HandOver;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Routes;
import io.millrace.http.filter.Metrics;
import io.millrace.http.filter.Traffic;
import io.millrace.http.server.Http;
import io.millrace.loop.Derived;
import io.millrace.loop.HostLookup;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.admin.AdminRules;
import io.millrace.proxy.admin.Pages;
import io.millrace.proxy.admin.Watched;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/// A web page that shows what a proxy does, and its Prometheus metrics.
///
/// ```java
/// var admin = Admin.of(metrics).loops(loops).upstreams(UpstreamMetrics.of(backends)).token(token);
/// try (var page = admin.open(new InetSocketAddress("127.0.0.1", 9000), loops)) …
/// ```
/// On a loopback address or a Unix socket, every local user may read it; on other addresses reading
/// requires the token. Changes always do. Immutable: a property is set by its name, which returns a copy,
/// and read by the same name. Any thread.
@CheckReturnValue
public final class Admin {
    private final Metrics metrics;
    private final List<EventLoops> loops;
    private final UpstreamMetrics upstreams;
    private final Optional<String> token;
    private final String metricsPath;
    private final Optional<HandOver> handOver;
    private final Derived derived;

    private Admin(
            Metrics metrics,
            List<EventLoops> loops,
            UpstreamMetrics upstreams,
            Optional<String> token,
            String metricsPath,
            Optional<HandOver> handOver,
            Derived derived) {
        this.metrics = metrics;
        this.loops = loops;
        this.upstreams = upstreams;
        this.token = token;
        this.metricsPath = metricsPath;
        this.handOver = handOver;
        this.derived = derived;
    }

    /// A page for the requests that these metrics count, without loops and upstreams so far.
    public static Admin of(Metrics metrics) {
        return new Admin(
                metrics,
                List.of(),
                UpstreamMetrics.of(List::of, List::of),
                Optional.empty(),
                AdminRules.STANDARD_METRICS,
                Optional.empty(),
                Derived.first());
    }

    /// The event loops that it shows; their names differ.
    public Admin loops(EventLoops... shown) {
        return new Admin(metrics, List.of(shown), upstreams, token, metricsPath, handOver, derived.next("loops"));
    }

    public List<EventLoops> loops() {
        return loops;
    }

    /// The upstreams that it shows, and whose backends can be disabled on it.
    public Admin upstreams(UpstreamMetrics shown) {
        return new Admin(metrics, loops, shown, token, metricsPath, handOver, derived.next("upstreams"));
    }

    public UpstreamMetrics upstreams() {
        return upstreams;
    }

    /// The token for changes, and for reading from other machines.
    ///
    /// @throws IllegalArgumentException for a token of less than 16 characters, or with characters that a
    /// header field cannot have
    public Admin token(String secret) {
        AdminRules.checkToken(secret);
        return new Admin(metrics, loops, upstreams, Optional.of(secret), metricsPath, handOver, derived.next("token"));
    }

    /// The path of the Prometheus metrics; by default `/metrics`, empty for none.
    public Admin metricsAt(String path) {
        return new Admin(metrics, loops, upstreams, token, path, handOver, derived.next("metricsAt"));
    }

    public String metricsAt() {
        return metricsPath;
    }

    /// The hand-over that passes its listening socket to the next process.
    public Admin handOver(HandOver turn) {
        return new Admin(metrics, loops, upstreams, token, metricsPath, Optional.of(turn), derived.next("handOver"));
    }

    public Optional<HandOver> handOver() {
        return handOver;
    }

    /// Opens the page.
    ///
    /// @throws IllegalArgumentException without a token for an address that others can reach
    /// @throws IllegalStateException when the last copy of this, with something set, was dropped
    /// @throws IOException when it cannot listen there
    public Opened open(SocketAddress at, EventLoops on) throws IOException {
        derived.use();
        boolean isLocal = AdminRules.isLocal(at);
        if (!isLocal && token.isEmpty())
            throw new IllegalArgumentException(Wording.of(at) + ": " + AdminRules.OPEN_TO_ALL);
        var name = at instanceof InetSocketAddress inet && inet.isUnresolved() ? inet.getHostString() : "";
        var others = Routes.of();
        if (!metricsPath.isEmpty()) others = others.get(metricsPath, metrics.handler());
        var pages = Pages.of(new Proxied(this), token, isLocal, name);
        try {
            var listen = Listen.on(HostLookup.resolved(at)).loops(on);
            var shared = handOver.map(listen::handOver).orElse(listen);
            return new Opened(pages, Http.listen(shared, pages.handler(others)));
        } catch (UncheckedIOException e) {
            pages.close();
            throw e.getCause();
        } catch (IOException | RuntimeException e) {
            pages.close();
            throw e;
        }
    }

    private record Proxied(Admin of) implements Watched {
        @Override
        public Collection<Traffic> traffic() {
            return of.metrics.traffic();
        }

        @Override
        public List<LoopCounters> loops() {
            return of.loops.stream().flatMap(group -> group.counters().stream()).toList();
        }

        @Override
        public List<WatchedUpstream> upstreams() {
            var ofLayer4 = of.upstreams.tcpUpstreams();
            var names = ofLayer4.stream().map(TcpUpstream::name).toList();
            var all = new ArrayList<WatchedUpstream>();
            for (var one : of.upstreams.upstreams()) {
                // An upstream that only layer 4 uses is not shown twice.
                if (one.backends().isEmpty() && names.contains(one.name())) continue;
                all.add(new WatchedUpstream(
                        one.name(),
                        7,
                        one.backends().stream().toList(),
                        one.webSockets().open()));
            }
            for (var one : ofLayer4) {
                all.add(new WatchedUpstream(
                        one.name(), 4, one.backends().stream().toList(), 0));
            }
            return all;
        }
    }

    /// An open page, until it is closed. Any thread.
    public static final class Opened implements AutoCloseable {
        private final Pages pages;
        private final Server server;

        private Opened(Pages pages, Server server) {
            this.pages = pages;
            this.server = server;
        }

        /// The page's address.
        public SocketAddress address() {
            return server.address();
        }

        /// Shows listeners, routes and certificates, for services of this module.
        ///
        /// @param serving called often, by any thread
        public void shows(Supplier<Watched.ServingProxy> serving) {
            pages.shows(serving);
        }

        /// Lets users with the token reload the configuration.
        ///
        /// @param how runs on a thread that may block; returns a text for the user, or throws the reason
        /// for a failure
        public void onReload(Callable<String> how) {
            pages.add(Pages.AdminChange.RELOAD, how);
        }

        /// Lets users with the token switch logs to new files.
        ///
        /// @param how runs on a thread that may block; returns a text for the user, or throws the reason
        /// for a failure
        public void onReopen(Callable<String> how) {
            pages.add(Pages.AdminChange.LOGS, how);
        }

        /// Stops accepting connections, ends the event streams, and waits for requests in progress.
        ///
        /// @return false if the time was over first
        public boolean drain(Duration patience) {
            pages.close();
            return server.drain(patience);
        }

        @Override
        public void close() {
            pages.close();
            server.close();
        }
    }
}
