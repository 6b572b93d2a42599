package io.millrace.cli;

import io.millrace.Dispatch;
import io.millrace.loop.HostLookup;
import io.millrace.loop.Wording;
import io.millrace.proxy.Retries;
import io.millrace.proxy.UpstreamSettings;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.admin.AdminRules;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Configuration.AdminSettings;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import io.millrace.proxy.configuration.Configuration.ForwardingRules;
import io.millrace.proxy.configuration.Configuration.RuntimeSettings;
import io.millrace.proxy.configuration.Configuration.UpstreamLoops;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.ListenerSettings.TlsSettings;
import io.millrace.proxy.configuration.Problem;
import io.millrace.proxy.configuration.RouteSettings;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.tls.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// `millrace proxy`: passes connections on to upstream servers.
@Command(name = "proxy", description = "Pass connections on to upstream servers, until SIGTERM or Ctrl-C.")
final class Proxy extends Subcommand {
    private static final String ADMIN_TOKEN = "MILLRACE_ADMIN_TOKEN";

    /// Connections of layer 4, as many as the process can hold; a file can limit them.
    private static final UpstreamLimits ANY_NUMBER = UpstreamLimits.standard()
            .connections(Integer.MAX_VALUE)
            .connectionsPerBackend(Integer.MAX_VALUE)
            .requests(Integer.MAX_VALUE)
            .requestsPerBackend(Integer.MAX_VALUE);

    /// One that cannot be reached, and another one, are no reason to reset a client.
    private static final Retries THREE_ATTEMPTS = Retries.STANDARD.attempts(3);

    private static final TimeoutSettings FOR_EVER = TimeoutSettings.STANDARD.idle(Duration.ZERO);

    /// How long requests in progress have to end.
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private static final String NAME = "proxy";
    private static final String SECURE_NAME = "proxy-tls";
    private static final String UPSTREAM = "upstream";

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
                    "Run the configuration in this YAML file, instead of the options below; see docs/proxy-reference.md."
                            + " It is read again when it changes, and on SIGHUP.")
    private Optional<Path> config = Optional.empty();

    @Option(names = "--check", description = "Check the file of --config, report its errors, and end.")
    private boolean isCheck;

    @Option(
            names = "--convert",
            paramLabel = "FILE",
            description = "Write a file of an earlier version with the current names of its keys, and end.")
    private Optional<Path> old = Optional.empty();

    @Option(names = "--schema", description = "Write the JSON Schema of that file, for editors, and end.")
    private boolean isSchema;

    @Option(
            names = "--hash-password",
            description = "Ask for a password, or read it from the standard input, write its hash for basic-auth, and"
                    + " end.")
    private boolean isHashing;

    @Option(
            names = "--layer",
            paramLabel = "LAYER",
            description = "What to pass on: 4 for bytes, or 7 for requests of HTTP.")
    void layer(String text) {
        if (!text.equals("4") && !text.equals("7")) {
            throw wrong("there is no proxy for layer '" + text + "': use 4 or 7");
        }
        layer = Integer.parseInt(text);
    }

    private int layer;

    @Mixin
    private final ListenFlags listen = new ListenFlags();

    @Option(
            names = "--to",
            split = ",",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToConnect.class,
            description = "Upstream servers, which get connections or requests in turn.")
    private List<SocketAddress> upstreams = List.of();

    @Option(
            names = "--upstream-loops",
            paramLabel = "LOOPS",
            completionCandidates = Loops.class,
            description = "Event loops for upstream connections: ${COMPLETION-CANDIDATES}. same (the default) is"
                    + " the client's loop, shared the least loaded of the server's loops, own one of a"
                    + " second group.")
    private UpstreamLoops upstreamLoops = UpstreamLoops.SAME;

    @Option(
            names = "--slabs",
            paramLabel = "SLABS",
            description = "Memory for bytes in transit: ${COMPLETION-CANDIDATES}. pooled (the default) is reused,"
                    + " unpooled shows the gain.")
    private Slabs slabs = Slabs.POOLED;

    @Option(
            names = "--aggregate-limit",
            paramLabel = "BYTES",
            description = "Layer 7: collect bodies of up to BYTES before passing them on. By default 0: pass them on as"
                    + " they arrive.")
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
            description = "A socket for hot restarts: a process started with the same path takes over the"
                    + " listeners, and this one ends when its connections have ended.")
    private Optional<Path> handOver = Optional.empty();

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description = "Serve a page with the proxy's state, and metrics at /metrics. Other addresses"
                    + " than loopback need a token, in the environment variable " + ADMIN_TOKEN + ".")
    private Optional<SocketAddress> admin = Optional.empty();

    @Mixin
    private final LoopOptions loopOptions = new LoopOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isSchema) return schema();
        if (isHashing) return hash();
        if (old.isPresent()) return file(old.get()).convert();
        StandardErrorLog.showNewsOf("io.millrace.proxy");
        StandardErrorLog.showNewsOf("io.millrace.handover");
        if (config.isPresent()) return callWith(config.get());
        if (isCheck) throw wrong("--check needs a file: name it with --config");
        if (layer == 0 || !listen.areGiven() || upstreams.isEmpty()) {
            throw wrong("name --layer, --listen and --to, or a file with --config");
        }
        listen.check();
        checkAdmin();
        checkUpstreams();
        return run(new Options());
    }

    private int schema() {
        print(ConfigurationFile.schema());
        return 0;
    }

    private int hash() throws IOException {
        new PasswordPrompt(System.in, out()).run();
        return 0;
    }

    /// @throws ParameterException for an invalid one
    private Optional<String> token() {
        var token = Optional.ofNullable(System.getenv(ADMIN_TOKEN));
        try {
            token.ifPresent(AdminRules::checkToken);
            return token;
        } catch (IllegalArgumentException e) {
            throw wrong(ADMIN_TOKEN + ": " + e.getMessage());
        }
    }

    /// @throws ParameterException if the address needs a token and there is none
    private void checkAdmin() {
        if (admin.isEmpty() || token().isPresent() || AdminRules.isLocal(admin.get())) return;
        throw wrong("--admin " + Wording.of(admin.get()) + ": " + AdminRules.OPEN_TO_ALL
                + "; the token is read from the environment variable " + ADMIN_TOKEN);
    }

    private int callWith(Path file) throws IOException, InterruptedException {
        boolean saysMore = layer != 0 || listen.hasAny() || !upstreams.isEmpty();
        if (saysMore || handOver.isPresent() || admin.isPresent()) {
            throw wrong("--config replaces other options: leave out --layer, --listen, --tls-listen, --cert, --key,"
                    + " --tls-self-signed, --to, --hand-over and --admin");
        }
        return isCheck ? file(file).check() : run(file(file));
    }

    private ProxyFile file(Path file) {
        return new ProxyFile(file, out(), err());
    }

    private int run(ProxySource source) throws IOException, InterruptedException {
        var arguments = spec().root().commandLine().getParseResult().originalArgs();
        return new ProxyRun(source, new NextProcess(arguments), out(), err()).serve();
    }

    /// A wrong name is reported now and not at the first client. It stays a name, because its address may change.
    private void checkUpstreams() throws UnknownHostException {
        for (var upstream : upstreams) HostLookup.resolved(upstream);
    }

    private static final class Loops implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Choices.words(UpstreamLoops.class).iterator();
        }
    }

    /// The configuration that the options describe.
    private final class Options implements ProxySource {
        @Override
        public CheckedFile read() {
            try {
                return new CheckedFile.Good(configuration(), List.of());
            } catch (IllegalArgumentException | UncheckedIOException e) {
                return new CheckedFile.Bad(
                        List.of(new Problem("options", 0, 0, "", String.valueOf(e.getMessage()))), List.of());
            }
        }

        @Override
        public boolean isChanged() {
            return false;
        }

        @Override
        public String toString() {
            return "the command line's configuration";
        }

        private Configuration configuration() {
            var listeners = new LinkedHashMap<String, ListenerSettings>();
            listen.plain().ifPresent(at -> listeners.put(NAME, listener(NAME, at, Optional.empty())));
            listen.secure().ifPresent(at -> listeners.put(SECURE_NAME, listener(SECURE_NAME, at, Optional.of(tls()))));
            var routes = new LinkedHashMap<String, RouteSettings>();
            if (layer == 7) routes.put(NAME, RouteSettings.of(NAME, UPSTREAM));
            return new Configuration(
                    listeners,
                    routes,
                    new LinkedHashMap<>(Map.of(UPSTREAM, upstream())),
                    ForwardingRules.STANDARD,
                    Optional.empty(),
                    admin.map(at -> new AdminSettings(at, token(), AdminRules.STANDARD_METRICS)),
                    new RuntimeSettings(
                            loopOptions.count(),
                            loopOptions.transport(),
                            dispatch,
                            slabs == Slabs.POOLED,
                            aggregateLimit,
                            handOver),
                    DRAIN);
        }

        private ListenerSettings listener(String name, SocketAddress at, Optional<TlsSettings> tls) {
            return layer == 7 ? ListenerSettings.http(name, at, tls) : ListenerSettings.tcp(name, at, UPSTREAM, tls);
        }

        private TlsSettings tls() {
            var identity = listen.identity();
            return new TlsSettings(Tls.server(identity), List.of(identity), false, List.of(), List.of());
        }

        private ConfiguredUpstream upstream() {
            var settings = UpstreamSettings.of(
                            upstreams.stream().map(Endpoint::of).toList())
                    .name(UPSTREAM)
                    .balance(Balance.ROUND_ROBIN);
            var wanted = layer == 7
                    ? settings
                    : settings.limits(ANY_NUMBER).timeouts(FOR_EVER).retries(THREE_ATTEMPTS);
            return new ConfiguredUpstream(wanted, upstreamLoops, List.of());
        }
    }
}
