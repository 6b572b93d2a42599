package io.millrace.cli;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.HandOver;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Signals;
import io.millrace.Tcp;
import io.millrace.http.RequestListener;
import io.millrace.http.filter.MetricSource;
import io.millrace.http.filter.Metrics;
import io.millrace.loop.Wording;
import io.millrace.proxy.Admin;
import io.millrace.proxy.TcpUpstream;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.UpstreamMetrics;
import io.millrace.proxy.admin.AdminRules;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `millrace proxy`: passes connections on to upstream servers.
@Command(name = "proxy", description = "Pass connections on to upstream servers, until SIGTERM or Ctrl-C.")
final class Proxy implements Callable<Integer> {
    private static final String ADMIN_TOKEN = "MILLRACE_ADMIN_TOKEN";

    /// Connections of layer 4, as many as the process bears: whoever wants fewer says so in a file.
    private static final UpstreamLimits ANY_NUMBER = UpstreamLimits.standard()
            .connections(Integer.MAX_VALUE)
            .connectionsPerBackend(Integer.MAX_VALUE)
            .requests(Integer.MAX_VALUE)
            .requestsPerBackend(Integer.MAX_VALUE);

    enum UpstreamLoops {
        SAME,
        SHARED,
        OWN;

        @Override
        public String toString() {
            return Choices.word(this);
        }
    }

    enum Slabs {
        POOLED,
        UNPOOLED;

        @Override
        public String toString() {
            return Choices.word(this);
        }
    }

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "Serve what a YAML file says, instead of the options below; see docs/proxy-reference.md. It is"
                            + " read again when it changes, and on SIGHUP.")
    private Optional<Path> config = Optional.empty();

    @Option(names = "--check", description = "Look at the file of --config, say what is wrong with it, and end.")
    private boolean isCheck;

    @Option(
            names = "--convert",
            paramLabel = "FILE",
            description = "Write a file of a version before with the names that keys have now, and end.")
    private Optional<Path> old = Optional.empty();

    @Option(names = "--schema", description = "Write the JSON Schema of that file, for editors, and end.")
    private boolean isSchema;

    @Option(
            names = "--hash-password",
            description =
                    "Ask for a password, or read it from the standard input, write what basic-auth keeps of it, and"
                            + " end.")
    private boolean isHashing;

    @Option(
            names = "--layer",
            paramLabel = "LAYER",
            description = "What is passed on: 4, bytes, or 7, requests of HTTP/1.1.")
    void layer(String text) {
        if (!text.equals("4") && !text.equals("7")) {
            throw new ParameterException(spec.commandLine(), "there is no proxy for layer '" + text + "': take 4 or 7");
        }
        layer = Integer.parseInt(text);
    }

    private int layer;

    @Mixin
    private final ListenOptions listen = new ListenOptions();

    @Option(
            names = "--to",
            split = ",",
            paramLabel = "HOST:PORT",
            converter = HostPort.ToConnect.class,
            description = "Upstream servers, to which connections or requests go in turn.")
    private List<SocketAddress> upstreams = List.of();

    @Option(
            names = "--upstream-loops",
            paramLabel = "LOOPS",
            description = "Event loops of the upstream connections: ${COMPLETION-CANDIDATES}. same (the default) is"
                    + " that of the client's connection, shared the least loaded of the server's, own one of a"
                    + " second group.")
    private UpstreamLoops upstreamLoops = UpstreamLoops.SAME;

    @Option(
            names = "--slabs",
            paramLabel = "SLABS",
            description = "Memory for bytes under way: ${COMPLETION-CANDIDATES}. pooled (the default) is used again,"
                    + " unpooled shows what that is worth.")
    private Slabs slabs = Slabs.POOLED;

    @Option(
            names = "--aggregate-limit",
            paramLabel = "BYTES",
            description = "Layer 7: collect bodies of up to BYTES before they are passed on. By default 0, as they"
                    + " arrive.")
    private long aggregateLimit;

    @Option(
            names = "--dispatch",
            paramLabel = "WHERE",
            converter = ToDispatch.class,
            description = "Layer 7: where requests are handled: on the loop (the default), on virtual threads, or"
                    + " pool:N, a pool of N threads.")
    private Dispatch dispatch = Dispatch.loop();

    @Option(
            names = "--hand-over",
            paramLabel = "PATH",
            description = "A socket for hot restarts: a process that is started with the same one takes over what this"
                    + " one listens on, and this one ends when its connections have.")
    private Optional<Path> handOver = Optional.empty();

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = HostPort.ToListen.class,
            description = "Serve a page there that shows what the proxy does, and metrics at /metrics. Other addresses"
                    + " than loopback ones take a token, in the environment variable " + ADMIN_TOKEN + ".")
    private Optional<SocketAddress> admin = Optional.empty();

    @Mixin
    private final LoopOptions loopOptions = new LoopOptions();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isSchema) return schema();
        if (isHashing) return hash();
        if (old.isPresent()) return file(old.get()).convert();
        StandardErrorLog.showNewsOf("io.millrace.proxy");
        if (config.isPresent()) return callWith(config.get());
        if (isCheck) throw wrong("--check is for a file: name it with --config");
        if (layer == 0 || !listen.areGiven() || upstreams.isEmpty()) {
            throw wrong(
                    "name what to pass on, from where and where to: --layer, --listen and --to; or a file, --config");
        }
        listen.read(tls -> layer == 7 ? tls.speaking("http/1.1") : tls);
        checkUpstreams();
        return serve();
    }

    private int schema() {
        spec.commandLine().getOut().print(ConfigurationFile.schema());
        spec.commandLine().getOut().flush();
        return 0;
    }

    private int hash() throws IOException {
        new PasswordPrompt(System.in, spec.commandLine().getOut()).run();
        return 0;
    }

    /// In place of the process before, if there is one, and until a signal, or the next one, comes.
    private int serve() throws IOException, InterruptedException {
        checkAdmin();
        try (var signals = Signals.catchTermination();
                var _ = listen.onHangUp();
                var turn = handOver.isPresent() ? HandOver.at(handOver.get()) : null;
                var loops = start("millrace-proxy");
                var upstream = upstreamLoops == UpstreamLoops.OWN ? start("millrace-upstream") : loops) {
            Service.endWith(loops, signals);
            Service.endWith(upstream, signals);
            var serving = serving(loops, upstream);
            try (var servers = Servers.of(
                            List.of(listen.plain(loops), listen.secure(loops)),
                            Optional.ofNullable(turn),
                            serving.door);
                    var opened = admin.isPresent() ? open(serving.page, loops, Optional.ofNullable(turn)) : null) {
                if (turn != null) turn.ready(signals::raise);
                Service.run(
                        servers.all(),
                        Optional.ofNullable(opened),
                        signals,
                        spec.commandLine().getOut());
            }
        }
        return 0;
    }

    private Admin.Opened open(Admin page, EventLoops loops, Optional<HandOver> turn) throws IOException {
        return turn.map(page::handOver).orElse(page).open(admin.orElseThrow(), loops);
    }

    private Optional<String> token() {
        return Optional.ofNullable(System.getenv(ADMIN_TOKEN));
    }

    /// @throws ParameterException without the token that its address takes
    private void checkAdmin() {
        if (admin.isEmpty() || token().isPresent() || AdminRules.isLocal(admin.get())) return;
        throw wrong("--admin " + Wording.of(admin.get()) + ": " + AdminRules.OPEN_TO_ALL
                + "; the token is read from the environment variable " + ADMIN_TOKEN);
    }

    private Admin page(Metrics metrics, UpstreamMetrics backends, EventLoops... loops) {
        var page = Admin.of(metrics).loops(loops).upstreams(backends);
        try {
            return token().map(page::token).orElse(page);
        } catch (IllegalArgumentException e) {
            throw wrong(ADMIN_TOKEN + ": " + e.getMessage());
        }
    }

    private int callWith(Path file) throws IOException, InterruptedException {
        boolean saysMore = layer != 0 || listen.hasAny() || !upstreams.isEmpty();
        if (saysMore || handOver.isPresent() || admin.isPresent()) {
            throw wrong(
                    "--config says everything: leave out --layer, --listen, --tls-listen, --cert, --key, --tls-self-signed,"
                            + " --to, --hand-over and --admin");
        }
        return isCheck ? file(file).check() : file(file).serve();
    }

    private ProxyFile file(Path file) {
        return new ProxyFile(
                file, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /// What is served, and the page about it.
    private record Serving(Function<Listen, Server> door, Admin page) {}

    private Serving serving(EventLoops loops, EventLoops upstream) {
        var groups = upstreamLoops == UpstreamLoops.OWN ? new EventLoops[] {loops, upstream} : new EventLoops[] {loops};
        var ofLoops = MetricSource.loops(groups);
        if (layer == 4) {
            var backends = tcpBackends(upstream).start();
            var counted = UpstreamMetrics.of(backends);
            return new Serving(on -> Tcp.listen(on, backends), page(Metrics.of(counted, ofLoops), counted, groups));
        }
        var backends = backends(upstream);
        var counted = UpstreamMetrics.of(backends);
        var metrics = Metrics.of(counted, ofLoops);
        var told = admin.isEmpty() ? RequestListener.NOBODY : metrics.requests("proxy");
        if (admin.isPresent()) backends = backends.start();
        var handler = backends;
        return new Serving(on -> HttpDoor.open(on, dispatch, told, handler), page(metrics, counted, groups));
    }

    private Upstream backends(EventLoops upstream) {
        var backends = Upstream.of(endpoints()).collect(aggregateLimit);
        return upstreamLoops == UpstreamLoops.SAME ? backends : backends.upstreamLoops(upstream);
    }

    private TcpUpstream tcpBackends(EventLoops upstream) {
        var backends = TcpUpstream.of(endpoints()).limits(ANY_NUMBER).idleTimeout(Duration.ZERO);
        return upstreamLoops == UpstreamLoops.SAME ? backends : backends.upstreamLoops(upstream);
    }

    private EndpointSource endpoints() {
        return EndpointSource.of(upstreams.stream().map(Endpoint::of).toList());
    }

    /// A wrong name shows now and not at the first client. It stays a name: its address may change.
    private void checkUpstreams() throws UnknownHostException {
        for (var upstream : upstreams) HostPort.resolved(upstream);
    }

    private EventLoops start(String name) throws IOException {
        return loopOptions.start(EventLoops.configure().name(name).pooled(slabs == Slabs.POOLED));
    }
}
