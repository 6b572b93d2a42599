package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.Tcp;
import io.millrace.Tunnel;
import io.millrace.http.Http;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.load.RunningLoad;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `millrace demo`: an echo server, a layer-4 proxy in front of it, and a client that sends through both and
/// shows how fast that is, here and on a page for browsers. Each of them has one event loop of its own.
@Command(
        name = "demo",
        description = "Run an echo server behind a proxy, send messages through both, and show live rates and"
                + " latencies, until Ctrl-C.")
final class Demo implements Callable<Integer> {
    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = Count.OfSeconds.class,
            description = "End after so many seconds.")
    private int seconds = Integer.MAX_VALUE;

    @Option(
            names = "--connections",
            paramLabel = "N",
            converter = Count.OfConnections.class,
            description = "Connections of the client (default: ${DEFAULT-VALUE}).")
    private int connections = 50;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            converter = ToSize.class,
            description = "Bytes of a message (default: ${DEFAULT-VALUE}).")
    private int sizeBytes = 64;

    @Mixin
    private final TransportOptions transport = new TransportOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        var page = new DemoPage();
        try (var signals = Signals.catchTermination();
                var echoLoops = start("millrace-echo");
                var proxyLoops = start("millrace-proxy");
                var clientLoops = start("millrace-client");
                var echo =
                        Tcp.listen(here(echoLoops), conn -> in -> conn.output().move(in));
                var proxy = Tcp.listen(here(proxyLoops), Tunnel.to(echo.address()));
                var pages = Http.serve(here(echoLoops), page)) {
            var out = spec.commandLine().getOut();
            introduce(out, "echo server", echo.port());
            introduce(out, "proxy to it", proxy.port());
            out.printf("page         http://%s:%d/%n", host(), pages.port());
            out.printf(Locale.ROOT, "client       %d connections, messages of %d bytes%n", connections, sizeBytes);
            var load = RunningLoad.start(settings(proxy.address()), clientLoops);
            return LoadDisplay.exitCode(new LoadDisplay(out, LoadDisplay.Words.MESSAGES, page).show(load, signals));
        }
    }

    private EventLoops start(String name) throws IOException {
        return transport.start(EventLoops.configure().name(name).threads(1));
    }

    private static Listen here(EventLoops loops) {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    private static void introduce(PrintWriter out, String what, int port) {
        out.printf("%s  %s:%d  try it with: nc %s %d%n", what, host(), port, host(), port);
    }

    private static String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    private LoadSettings settings(SocketAddress server) {
        return LoadSettings.to(server)
                .withConnections(connections)
                .withSize(sizeBytes)
                .withWarmUp(Duration.ZERO)
                .withDuration(Duration.ofSeconds(seconds));
    }

    private static final class ToSize implements picocli.CommandLine.ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Count.parse(text, Long.BYTES, 1 << 20);
        }
    }
}
