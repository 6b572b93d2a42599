package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Signals;
import io.millrace.http.HttpSettings;
import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.lab.load.HttpMessages;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.load.RunningLoad;
import io.millrace.loop.Wording;
import io.millrace.proxy.Admin;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.UpstreamMetrics;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `millrace demo`: two backends, the layer-7 proxy in front of them with its admin page, and a light load. One
/// of the backends stops now and then, and the page shows how it goes down and comes back.
@Command(
        name = "demo",
        description = "Run two HTTP servers behind a proxy, send requests through it, and show its state on a page,"
                + " while one of the servers stops and starts, until Ctrl-C.")
final class Demo extends Subcommand {
    /// A light load: the client spins for 2 ms before each request to be on time.
    private static final int REQUESTS_PER_SECOND = 200;
    private static final int CONNECTIONS = 20;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = CountOption.OfSeconds.class,
            description = "End after N seconds.")
    private int seconds = Integer.MAX_VALUE;

    @Option(
            names = "--every",
            paramLabel = "N",
            converter = CountOption.OfSeconds.class,
            description = "Stop or start one of the servers every N seconds (default: ${DEFAULT-VALUE}).")
    private int every = 10;

    @Mixin
    private final TransportOptions transport = new TransportOptions();

    /// Seconds since the load began.
    private int passed;

    @Override
    public Integer call() throws IOException, InterruptedException {
        var token = UUID.randomUUID().toString();
        try (var signals = Signals.catchTermination();
                var backendLoops = start("millrace-backend", 1);
                var proxyLoops = start("millrace-proxy", 2);
                var clientLoops = start("millrace-client", 1);
                var one = DemoBackend.start("one", backendLoops);
                var two = DemoBackend.start("two", backendLoops);
                var upstream = upstream(one, two)) {
            var ofBackends = UpstreamMetrics.of(upstream);
            var metrics = Metrics.of(ofBackends, MetricSource.loops(proxyLoops));
            var admin =
                    Admin.of(metrics).loops(proxyLoops).upstreams(ofBackends).token(token);
            try (var proxy = serve(Listen.on(here()).loops(proxyLoops), metrics, upstream);
                    var secure = serve(Listen.on(here()).loops(proxyLoops).through(tls()), metrics, upstream);
                    var page = admin.open(here(), proxyLoops)) {
                var out = out();
                for (var each : List.of(backendLoops, proxyLoops, clientLoops)) ServeCommand.endWith(each, signals);
                introduce(out, "backend one", one.address(), "");
                introduce(out, "backend two", two.address(), "  stops and starts every " + every + " s");
                introduce(
                        out, "proxy", proxy.address(), "  " + REQUESTS_PER_SECOND + " requests/s come from here, too");
                var https = "https" + HostPortOption.page(secure.address()).substring("http".length());
                introduce(out, "proxy, TLS", https, "  with an untrusted certificate");
                introduce(out, "admin page", page.address(), "  open it in a browser; its token is " + token);
                out.flush();
                var load = RunningLoad.start(settings(proxy.address()), clientLoops);
                var display = new LoadDisplay(out, LoadDisplay.LoadWords.REQUESTS, () -> news(two));
                return LoadDisplay.exitCode(display.show(load, signals));
            }
        }
    }

    private EventLoops start(String name, int threads) throws IOException {
        return transport.start(EventLoops.configure().name(name).threads(threads));
    }

    private static SocketAddress here() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /// Notices quickly that a backend has stopped, and that it is back.
    private static Upstream upstream(DemoBackend one, DemoBackend two) {
        var endpoints = EndpointSource.of(List.of(Endpoint.of(one.address()), Endpoint.of(two.address())));
        var second = Duration.ofSeconds(1);
        return Upstream.of(endpoints)
                .name("demo")
                .balance(Balance.ROUND_ROBIN.slowStart(second.multipliedBy(3)))
                .health(Health.http("/").interval(second).ejectionFailures(5).ejectionTime(second.multipliedBy(2)))
                .start();
    }

    private static Server serve(Listen on, Metrics metrics, Upstream upstream) {
        return Http.listen(on, HttpSettings.standard().listener(metrics.requests("demo")), upstream);
    }

    private static TlsServer tls() {
        return Tls.server(TlsIdentity.selfSigned("localhost", "127.0.0.1")).speaking("h2", "http/1.1");
    }

    private static void introduce(PrintWriter out, String what, SocketAddress at, String more) {
        introduce(out, what, HostPortOption.page(at), more);
    }

    private static void introduce(PrintWriter out, String what, String page, String more) {
        out.printf("%-12s %s%s%n", what, page, more);
    }

    private LoadSettings settings(SocketAddress proxy) {
        return LoadSettings.to(proxy)
                .with(HttpMessages.get(Wording.of(proxy), "/"))
                .connections(CONNECTIONS)
                .rate(REQUESTS_PER_SECOND)
                .warmUp(Duration.ZERO)
                .duration(Duration.ofSeconds(seconds));
    }

    /// Called each second.
    private Optional<String> news(DemoBackend backend) {
        if (++passed % every > 0) return Optional.empty();
        return Optional.of(backend.toggle() ? "backend two is back" : "backend two has stopped");
    }
}
