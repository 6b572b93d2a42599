package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Signals;
import io.millrace.Signals.Termination;
import io.millrace.lab.load.HttpMessages;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.load.RunningLoad;
import io.millrace.tls.Tls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace train`: the work that `dist/build` watches to make the ahead-of-time cache of the runtime image. It runs
/// the commands that serve, all in this process and on free ports of loopback, and puts a load on one after the other.
///
/// What only shows something is left out: all that it loads would be mapped and resident in every server.
/// A load ends with its last request and no sooner: on a busy machine, too, the JVM learns which code is hot.
///
/// No help lists it. The servers end with the process.
@Command(name = "train", description = "Serve, proxy and load on loopback, and end.")
final class Train extends Subcommand {
    private static final String FREE = "127.0.0.1:0";
    private static final int CONNECTIONS = 20;

    /// Of each transport, to load its classes and no more: with more, code that serves one of them would be compiled
    /// for all.
    private static final int ECHOES = 200;

    private static final String LISTENING = "listening on ";

    @Option(
            names = "--requests",
            paramLabel = "N",
            converter = LoadOptions.ToCount.class,
            description = "Requests of each load (default: ${DEFAULT-VALUE}).")
    private int requests = 100_000;

    @Override
    public Integer call() throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("millrace-train");
        var page = folder.resolve("index.html");
        var configuration = folder.resolve("proxy.yaml");
        try {
            Files.writeString(page, "<!doctype html><title>Millrace</title>" + "<p>It works.".repeat(100));
            return load(serve(folder, configuration));
        } finally {
            for (var path : List.of(page, configuration, folder)) Files.deleteIfExists(path);
        }
    }

    /// Starts everything that serves.
    ///
    /// @return what to ask for
    private List<String> serve(Path folder, Path configuration) throws IOException {
        var backend = start("http", "--listen", FREE, "--root", folder.toString());
        var sessions = start("http", "--tls-listen", FREE, "--tls-self-signed", "--dispatch", "virtual");
        var layer7 = start("proxy", "--layer", "7", "--listen", FREE, "--to", backend);
        var secure = start("proxy", "--layer", "7", "--tls-listen", FREE, "--tls-self-signed", "--to", backend);
        var layer4 = start("proxy", "--layer", "4", "--listen", FREE, "--to", backend);
        Files.writeString(configuration, configuration(backend));
        execute(out(), "proxy", "--config", configuration.toString(), "--check");
        var configured = start("proxy", "--config", configuration.toString());
        return List.of(
                "http://" + backend + "/",
                "https://" + sessions + "/json",
                "http://" + layer7 + "/plaintext",
                "https://" + secure + "/large?n=20000",
                "http://" + layer4 + "/plaintext",
                "http://" + configured + "/plaintext",
                "http://" + configured + "/files/index.html");
    }

    private static String configuration(String backend) {
        return """
            listeners:
              web: {address: "127.0.0.1:0"}
            routes:
              files: {match: {prefix: /files}, files: {folder: .}}
              app:
                upstream: app
                rate-limit: {requests: 1000000}
                response-headers: {set: {X-Frame-Options: DENY}}
            upstreams:
              app: {endpoints: ["%s"], health: {check: http, path: /plaintext}}
            access-log: {format: json, file: /dev/null}
            admin: {address: "127.0.0.1:0"}
            """.formatted(backend);
    }

    /// Starts a command that serves.
    ///
    /// @return where it listens
    private String start(String... command) throws IOException {
        var pipe = new PipedWriter();
        var lines = new BufferedReader(new PipedReader(pipe));
        Thread.ofPlatform().daemon().name("millrace-" + command[0]).start(() -> {
            try (var to = new PrintWriter(pipe, true)) {
                execute(to, command);
            }
        });
        var line = lines.readLine();
        if (line == null || !line.startsWith(LISTENING)) {
            throw new IOException(String.join(" ", command) + " does not serve");
        }
        return line.substring(LISTENING.length());
    }

    private void execute(PrintWriter to, String... command) {
        var _ = Main.commandLine(command).setOut(to).setErr(err()).execute(command);
    }

    /// @return the exit code
    private int load(List<String> urls) throws IOException, InterruptedException {
        int code = 0;
        try (var signals = Signals.catchTermination();
                var loops =
                        EventLoops.configure().name("millrace-load").threads(1).start()) {
            for (var transport : List.of("nio", "epoll", "auto")) {
                var at = new HostPortOption.ToConnect()
                        .convert(start("echo", "--listen", FREE, "--transport", transport));
                code |= load(LoadSettings.to(at).size(64).messages(ECHOES), loops, signals);
            }
            for (var url : urls) code |= load(settings(url), loops, signals);
        }
        return code;
    }

    private LoadSettings settings(String url) {
        out().println(url);
        var at = new HttpUrl.Converter().convert(url);
        var plain = LoadSettings.to(at.server())
                .with(HttpMessages.get(at.host(), at.target()))
                .messages(requests);
        return at.isSecure()
                ? plain.through(Tls.client(at.name()).speaking("http/1.1").insecurely())
                : plain;
    }

    /// @return the exit code
    private int load(LoadSettings what, EventLoops loops, Termination signals)
            throws IOException, InterruptedException {
        var settings = what.connections(CONNECTIONS).warmUp(Duration.ZERO);
        var display = new LoadDisplay(out(), LoadDisplay.LoadWords.REQUESTS);
        return LoadDisplay.exitCode(display.show(RunningLoad.start(settings, loops), signals));
    }
}
