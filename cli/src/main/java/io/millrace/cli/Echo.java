package io.millrace.cli;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.InheritedSockets;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.Signals;
import io.millrace.Supervisor;
import io.millrace.Tcp;
import io.millrace.loop.HostLookup;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `millrace echo`: sends back what it receives.
@Command(name = "echo", description = "Send back what is received, until SIGTERM or Ctrl-C.")
final class Echo extends Subcommand {
    enum EchoStyle {
        CALLBACK,
        DIRECT;

        @Override
        public String toString() {
            return Choices.word(this);
        }
    }

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description = "Address to listen on: HOST:PORT, :PORT for all addresses, unix:PATH, or fd:NAME for a"
                    + " socket of the service manager. Port 0 takes a free one.")
    @SuppressWarnings("NullAway.Init")
    private SocketAddress address;

    @Option(
            names = "--style",
            paramLabel = "STYLE",
            description = "${COMPLETION-CANDIDATES}: calls on the event loop (the default), or blocking code on a"
                    + " virtual thread for each connection.")
    private EchoStyle style = EchoStyle.CALLBACK;

    @Option(
            names = "--dispatch",
            paramLabel = "WHERE",
            converter = ToDispatch.class,
            description =
                    "Where calls run: on the loop (the default), on virtual threads, or pool:N, a pool of N threads.")
    private Optional<Dispatch> dispatch = Optional.empty();

    @Mixin
    private final LoopOptions loopOptions = new LoopOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (style == EchoStyle.DIRECT && dispatch.isPresent()) {
            throw wrong("--dispatch is for --style loop; --style direct makes no calls: leave one of them out");
        }
        var manager = Supervisor.ofEnvironment();
        try (var signals = Signals.catchTermination();
                var loops = loopOptions.start("millrace-echo");
                var server = listen(loops, manager.sockets())) {
            ServeCommand.endWith(loops, signals);
            ServeCommand.run(List.of(server), loops, manager, signals, out());
        }
        return 0;
    }

    private Server listen(EventLoops loops, InheritedSockets sockets) throws IOException {
        var on = Listen.on(HostLookup.resolved(address)).loops(loops).inherited(sockets);
        return switch (style) {
            case CALLBACK ->
                Tcp.listen(
                        on.dispatch(dispatch.orElse(Dispatch.loop())),
                        conn -> in -> conn.output().move(in));
            case DIRECT ->
                Tcp.serve(on, conn -> {
                    while (conn.read()) conn.output().move(conn.input());
                });
        };
    }
}
