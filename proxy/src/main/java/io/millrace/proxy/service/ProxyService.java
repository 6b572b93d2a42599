package io.millrace.proxy.service;

import io.millrace.EventLoops;
import io.millrace.HandOver;
import io.millrace.InheritedSockets;
import io.millrace.http.ErrorResponses;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.PathForms;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.Metrics;
import io.millrace.http.filter.MetricsText;
import io.millrace.http.filter.Networks;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Loop;
import io.millrace.proxy.Admin;
import io.millrace.proxy.ConnectTunnels;
import io.millrace.proxy.ProxyProtocol;
import io.millrace.proxy.ServerNames;
import io.millrace.proxy.UpstreamMetrics;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.announce.ProxyEvents;
import io.millrace.proxy.announce.ProxyEvents.EventKind;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.ListenerSettings.ProxyProtocolSettings;
import io.millrace.proxy.configuration.ListenerSettings.TlsSettings;
import io.millrace.proxy.routing.HostForms;
import io.millrace.proxy.routing.Routing;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A proxy that serves a configuration, and can change to the next one.
///
/// ```
///   next configuration ─► upstreams ─► routes ─► new listeners ─┬─ all there ─► routes change, old listeners end
///                                                               └─ one cannot ─► nothing has changed
/// ```
/// Connections stay open: the next request on one uses the routes of the moment it arrives. One thread at
/// a time changes the configuration.
public final class ProxyService implements AutoCloseable {
    /// TLS has ended in front of the listener.
    private static final HttpFilter SECURE = next -> request -> handleSecure(request, next);
    private static final Response NO_TUNNEL = Response.status(501).close();

    private static final System.Logger LOG = LoopLog.of("io.millrace.proxy");

    /// How long a configuration waits for its lists of backends before it serves without them.
    private static final Duration LISTS = Duration.ofSeconds(5);

    private static final Duration ADMIN_DRAIN = Duration.ofSeconds(1);

    private final Optional<HandOver> handOver;
    private final InheritedSockets sockets;
    private final EventLoops loops;
    private final EventLoops own;
    private Configuration configuration;
    private List<LiveListener> liveListeners = List.of();
    private volatile Upstreams upstreams = Upstreams.none();
    private volatile Map<String, List<TlsIdentity>> identities = Map.of();
    private volatile ServingProxy serving = ServingProxy.NOTHING;
    private Gates gates = Gates.none();
    private final CurrentLog currentLog = new CurrentLog();
    private final Reloads reloads = new Reloads(InstantSource.system());
    private final UpstreamMetrics upstreamMetrics;
    private final Metrics metrics;
    private Admin.@Nullable Opened admin;

    /// Makes the keeper, when a configuration needs one.
    private final Optional<Function<Loop, CertificateKeeper>> keepers;

    private volatile @Nullable CertificateKeeper keeper;

    private ProxyService(
            Configuration configuration,
            Optional<HandOver> handOver,
            InheritedSockets sockets,
            Optional<Function<Loop, CertificateKeeper>> keepers) {
        this.configuration = configuration;
        this.keepers = keepers;
        this.handOver = handOver;
        this.sockets = sockets;
        this.loops = start("millrace-proxy");
        this.own = startBeside(loops);
        this.upstreamMetrics = UpstreamMetrics.of(() -> upstreams.all().values(), () -> upstreams.layer4());
        this.metrics = Metrics.of(
                upstreamMetrics,
                MetricSource.certificates(() -> identities),
                MetricSource.droppedLines(currentLog::dropped),
                reloads,
                this::writeCertificates,
                MetricSource.loops(loops, own));
    }

    private void writeCertificates(MetricsText to) {
        var its = keeper;
        if (its != null) its.write(to);
    }

    /// Starts to serve.
    ///
    /// @throws IOException if a listener cannot listen, or the transport does not work here
    public static ProxyService start(Configuration configuration) throws IOException {
        return start(configuration, InheritedSockets.none(), Optional.empty(), () -> {});
    }

    /// Starts to serve, in place of a running process if the configuration has a hand-over socket and a
    /// process is there. If it cannot start, the running process continues.
    ///
    /// @param sockets of a service manager, for the listeners at their addresses
    /// @param keepers makes what obtains certificates from authorities, which `millrace-acme` has; called when a
    ///     configuration needs one
    /// @param whenTaken called on another thread when the next process has taken over, or when an event loop has
    ///     ended by itself: the time to drain, and then to close
    /// @throws IOException if a listener cannot listen, or the running process does not hand over
    public static ProxyService start(
            Configuration configuration,
            InheritedSockets sockets,
            Optional<Function<Loop, CertificateKeeper>> keepers,
            Runnable whenTaken)
            throws IOException {
        var path = configuration.runtime().handOver();
        var handOver = path.isEmpty() ? Optional.<HandOver>empty() : Optional.of(HandOver.at(path.get()));
        var service = made(configuration, handOver, sockets, keepers);
        try {
            service.reload(configuration);
            service.openAdmin();
            if (handOver.isPresent()) handOver.get().ready(whenTaken);
            service.loops.broken().thenRun(whenTaken);
            service.own.broken().thenRun(whenTaken);
            return service;
        } catch (IOException | RuntimeException | Error e) {
            service.close();
            throw e;
        }
    }

    private static ProxyService made(
            Configuration configuration,
            Optional<HandOver> handOver,
            InheritedSockets sockets,
            Optional<Function<Loop, CertificateKeeper>> keepers)
            throws IOException {
        try {
            return new ProxyService(configuration, handOver, sockets, keepers);
        } catch (UncheckedIOException e) {
            handOver.ifPresent(HandOver::close);
            var transport = configuration.runtime().transport();
            throw new IOException("transport " + transport.label() + " does not work here: " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            handOver.ifPresent(HandOver::close);
            throw e;
        }
    }

    private void openAdmin() throws IOException {
        if (configuration.admin().isEmpty()) return;
        var settings = configuration.admin().get();
        var page =
                Admin.of(metrics).loops(loops, own).upstreams(upstreamMetrics).metricsAt(settings.metrics());
        var known = settings.token().map(page::token).orElse(page);
        admin = handOver.map(known::handOver).orElse(known).open(settings.address(), own);
        admin.shows(() -> serving);
        admin.onReopen(() -> {
            reopenLogs();
            return "logs are reopened";
        });
    }

    /// The address of its page and metrics, if it has them.
    public Optional<SocketAddress> adminAddress() {
        return Optional.ofNullable(admin).map(Admin.Opened::address);
    }

    /// Lets the admin page reload the configuration.
    ///
    /// @param how runs on a thread that may block; returns a text for the user, or throws the reason for a
    /// failure
    public void onReload(Callable<String> how) {
        if (admin != null) admin.onReload(how);
    }

    /// Reopens the log files, after the old ones were moved away.
    public synchronized void reopenLogs() {
        currentLog.reopen();
    }

    private EventLoops startBeside(EventLoops others) {
        try {
            return start("millrace-upstream");
        } catch (RuntimeException | Error e) {
            others.close();
            throw e;
        }
    }

    private EventLoops start(String name) {
        var runtime = configuration.runtime();
        var setup =
                EventLoops.configure().name(name).transport(runtime.transport()).pooled(runtime.isPooled());
        return runtime.loops() == 0
                ? setup.start()
                : setup.threads(runtime.loops()).start();
    }

    /// Changes to the next configuration, or keeps the current one if it cannot.
    ///
    /// @return the difference, as a text
    /// @throws IOException if a new listener cannot listen
    /// @throws IllegalArgumentException if a listener cannot change so without a restart
    public String reload(Configuration next) throws IOException {
        return reload(next, "a program asked for it");
    }

    /// The same, with the reason for the admin page.
    ///
    /// @param why a clause, such as `SIGHUP came`
    public synchronized String reload(Configuration next, String why) throws IOException {
        if (!next.acme().isEmpty()) openKeeper();
        var nextUpstreams = upstreams.next(next, loops, own);
        var nextGates = gates.next();
        var changes = new ArrayList<Change>();
        var challenges = Optional.ofNullable(keeper).map(CertificateKeeper::challenges);
        try {
            var services = new LinkedHashMap<ListenerSettings, SwappableHandler.Service>();
            for (var listener : next.listeners().values())
                services.put(listener, service(next, listener, nextUpstreams, nextGates, challenges));
            nextUpstreams.awaitLists(LISTS);
            for (var service : services.entrySet()) changes.add(change(service.getKey(), service.getValue()));
            currentLog.become(next.accessLog());
        } catch (IOException | RuntimeException e) {
            for (var change : changes)
                if (!liveListeners.contains(change.live)) change.live.server().close();
            nextUpstreams.retire(upstreams);
            refused(String.valueOf(e.getMessage()));
            throw e;
        }
        boolean isWhole =
                next.admin().equals(configuration.admin()) && next.runtime().equals(configuration.runtime());
        if (!isWhole) LOG.log(Level.WARNING, "changes of admin and runtime take effect with the next start");
        var nextListeners = changes.stream().map(Change::live).toList();
        for (var change : changes) change.live.become(change.service);
        for (var live : liveListeners) if (!nextListeners.contains(live)) end(live, configuration);
        nextUpstreams.take(upstreams);
        if (!liveListeners.isEmpty())
            for (var live : nextListeners) if (!liveListeners.contains(live)) live.tellItListens();
        liveListeners = nextListeners;
        upstreams = nextUpstreams;
        gates = nextGates;
        var difference = Difference.of(configuration, next);
        boolean isFirst = serving.number() == 0;
        var told = isFirst ? "the proxy serves " + Shown.size(next) : "in force, because " + why + ": " + difference;
        var events = ProxyEvents.ofProcess();
        events.add(EventKind.RELOAD, false, told);
        var nextIdentities = identities(next);
        if (!isFirst)
            Shown.renewed(identities, nextIdentities).forEach(it -> events.add(EventKind.CERTIFICATE, false, it));
        identities = nextIdentities;
        serving = Shown.of(next, liveListeners, serving.number() + 1);
        configuration = next;
        reloads.used();
        if (keeper != null) keeper.keep(next.acme());
        return difference;
    }

    private void openKeeper() {
        if (keeper != null) return;
        keeper = keepers.orElseThrow(() -> new IllegalArgumentException("certificates of acme need the artifact "
                        + CertificateKeeper.ARTIFACT + ", which is not there: add it, or name chain and key"))
                .apply(own.next());
    }

    private static Map<String, List<TlsIdentity>> identities(Configuration of) {
        var found = new LinkedHashMap<String, List<TlsIdentity>>();
        for (var listener : of.listeners().values())
            listener.tls().ifPresent(tls -> found.put(listener.name(), tls.identities()));
        return found;
    }

    /// Counts a next configuration that could not be used, for the metrics and the admin page.
    ///
    /// @param why the first reason
    public void refused(String why) {
        reloads.refused();
        ProxyEvents.ofProcess()
                .add(EventKind.RELOAD, true, "not used, the configuration before stays in force: " + why);
    }

    /// The handler for a listener.
    private record Change(LiveListener live, SwappableHandler.Service service) {}

    private Change change(ListenerSettings listener, SwappableHandler.Service service) throws IOException {
        for (var live : liveListeners) {
            if (!live.isFor(listener)) continue;
            live.checkSame(listener);
            return new Change(live, service);
        }
        var told = currentLog.andThen(metrics.requests(listener.name()));
        return new Change(
                LiveListener.open(
                        listener,
                        service,
                        loops,
                        listen -> handOver.map(listen::handOver).orElse(listen).inherited(sockets),
                        configuration.runtime().dispatch(),
                        told),
                service);
    }

    private static SwappableHandler.Service service(
            Configuration next,
            ListenerSettings listener,
            Upstreams nextUpstreams,
            Gates nextGates,
            Optional<AcmeChallenges> challenges) {
        var where = List.of(listener.name());
        var announcements = listener.proxyProtocol().map(ProxyService::announcements);
        if (listener.layer() == 4) {
            var upstream = connections(listener, nextUpstreams);
            return new SwappableHandler.Service(
                    null,
                    nextGates.before(where, listener.gate(), upstream),
                    PathForms.STRICT,
                    ErrorResponses.PHRASES,
                    announcements,
                    listener.tls().map(TlsSettings::server),
                    challenges);
        }
        var routing = Routing.of(
                next.routesOf(listener.name()).stream()
                        .map(route -> route.behind(listener))
                        .toList(),
                forward -> nextUpstreams.get(forward.upstream()).with(forward.bodies()),
                route -> nextGates.of(List.of(listener.name(), route.name()), route.gate()));
        var connect = next.forwarding().connect();
        var all = connect.isEmpty() ? withoutTunnels(routing) : ConnectTunnels.to(connect, routing);
        var gated = nextGates.of(where, listener.gate()).around(all);
        // The client's address is found before gates use it.
        var known = listener.realIp().map(realIp -> realIp.around(gated)).orElse(gated);
        var rightly = listener.tls()
                .filter(TlsSettings::hasRulesByName)
                .map(tls -> Misdirected.from(tls.server()).around(known))
                .orElse(known);
        var whole = listener.isSecure() ? SECURE.around(rightly) : rightly;
        return new SwappableHandler.Service(
                challenges.map(answers -> answers.around(whole)).orElse(whole),
                null,
                HostForms.of(listener.paths()),
                listener.content()
                        .errorPages()
                        .<ErrorResponses>map(pages -> pages)
                        .orElse(ErrorResponses.PHRASES),
                announcements,
                listener.tls().map(tls -> tls.server().speaking("h2", "http/1.1")),
                challenges);
    }

    private static HttpHandler withoutTunnels(HttpHandler handler) {
        return request -> request.method().equals("CONNECT") ? NO_TUNNEL : handler.handle(request);
    }

    private static HandlerFactory connections(ListenerSettings listener, Upstreams upstreams) {
        var others = listener.upstream().map(upstreams::tcp);
        if (listener.serverNames().isEmpty()) return others.orElseThrow();
        var names = ServerNames.of();
        for (var name : listener.serverNames().entrySet())
            names = names.name(name.getKey(), upstreams.tcp(name.getValue()));
        return others.isPresent() ? names.others(others.get()) : names;
    }

    private static ProxyProtocol announcements(ProxyProtocolSettings settings) {
        var stage = ProxyProtocol.from(Networks.of(settings.from()));
        return settings.isRequired() ? stage : stage.andOthers();
    }

    private static Response handleSecure(Request request, HttpHandler next) throws Exception {
        var received = ReceivedRequest.behind(request);
        if (received != null) received.wasSecure();
        return next.handle(request);
    }

    private static void end(LiveListener live, Configuration configuration) {
        Thread.ofVirtual().name("millrace-drain").start(() -> {
            LOG.log(Level.INFO, "{0} accepts no more, and ends when its requests have", live);
            if (!live.server().drain(configuration.drain())) {
                var time = Wording.of(configuration.drain());
                LOG.log(Level.WARNING, "{0}: requests were cut after {1}, the time of drain", live, time);
            }
            live.server().close();
        });
    }

    /// The process that this one has taken over from.
    public OptionalLong predecessor() {
        return handOver.map(HandOver::predecessor).orElse(OptionalLong.empty());
    }

    /// The process that has taken over from this one.
    public OptionalLong successor() {
        return handOver.map(HandOver::successor).orElse(OptionalLong.empty());
    }

    /// Whether every event loop does a small task within a time.
    public boolean answersWithin(Duration limit) throws InterruptedException {
        return loops.answerWithin(limit) && own.answerWithin(limit);
    }

    /// The addresses that it listens on.
    public synchronized List<SocketAddress> addresses() {
        return liveListeners.stream().map(live -> live.server().address()).toList();
    }

    /// Stops accepting connections, and waits for requests in progress, up to the configuration's drain
    /// timeout.
    public void drain() {
        List<LiveListener> all;
        synchronized (this) {
            all = liveListeners;
            // The next process renews.
            if (keeper != null) keeper.close();
        }
        var servers = all.stream().map(LiveListener::server).toList();
        new ToldDrain(LOG, configuration.drain(), "drain-timeout").drain(servers, underWay(), this::drainAdmin);
    }

    /// What its upstreams have of the connections.
    private String underWay() {
        long sockets = upstreamMetrics.openWebSockets();
        var asked = Wording.count(Math.max(0, upstreamMetrics.requestsInFlight() - sockets), "request");
        return ", with " + asked + " and " + Wording.count(sockets, "WebSocket") + " at backends,";
    }

    private void drainAdmin() {
        var page = admin;
        // Open event streams would only delay the end.
        if (page == null) return;
        var _ = page.drain(ADMIN_DRAIN);
    }

    @Override
    public synchronized void close() {
        if (keeper != null) keeper.close();
        liveListeners.forEach(live -> live.server().close());
        if (admin != null) admin.close();
        handOver.ifPresent(HandOver::close);
        upstreams.close();
        try {
            loops.close();
        } finally {
            own.close();
            currentLog.close();
        }
    }
}
