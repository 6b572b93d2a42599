package io.millrace.cli;

import io.millrace.Dispatch;
import io.millrace.Signals;
import io.millrace.Supervisor;
import io.millrace.http.filter.Compression;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `millrace http`: an HTTP/1.1 server for measurements and experiments, or for the files of a folder.
@Command(
        name = "http",
        description = {
            "Serve HTTP/1.1 and HTTP/2, until SIGTERM or Ctrl-C:",
            "  /, /plaintext   Hello, World!",
            "  /json           {\"message\":\"Hello, World!\"}",
            "  /echo           the body of the request",
            "  /large?n=N      N bytes",
            "  /p/...          the path in its canonical form",
            "  /events         the time, each second, as server-sent events",
            "  /ws             a WebSocket that sends messages back",
            "  /ws/chat        a WebSocket that sends messages of text to everybody there",
            "With --root, other paths are the files of a folder."
        })
final class HttpServe extends Subcommand {
    @Mixin
    private final ListenFlags listen = new ListenFlags();

    @Mixin
    private final RootFlags root = new RootFlags();

    @Option(names = "--compression", description = "Compress responses with gzip for clients that accept it.")
    private boolean isCompressing;

    @Option(
            names = "--dispatch",
            paramLabel = "WHERE",
            converter = ToDispatch.class,
            description = "Where requests are handled: on the loop (the default), on virtual threads, or pool:N, a"
                    + " pool of N threads.")
    private Dispatch dispatch = Dispatch.loop();

    @Option(names = "--close", description = "Close each connection after its first response.")
    private boolean closes;

    @Mixin
    private final LoopOptions loopOptions = new LoopOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        var files = root.files();
        var settings = root.settings();
        listen.read(tls -> tls.speaking("h2", "http/1.1"));
        var plain = HttpSite.of(files, closes);
        var site = isCompressing ? Compression.gzip().around(plain) : plain;
        var manager = Supervisor.ofEnvironment();
        try (var signals = Signals.catchTermination();
                var _ = listen.onHangUp();
                var loops = loopOptions.start("millrace-http");
                var servers = Servers.of(
                        listen.at(loops, manager.sockets()), on -> HttpDoor.open(on, dispatch, settings, site))) {
            ServeCommand.endWith(loops, signals);
            ServeCommand.run(servers.all(), loops, manager, signals, out());
        }
        return 0;
    }
}
