package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.InheritedSockets;
import io.millrace.Listen;
import io.millrace.Signals;
import io.millrace.loop.HostLookup;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsReload;
import io.millrace.tls.TlsServer;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Where a command listens, in the clear and with TLS: at least one of the two.
final class ListenFlags {
    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description = "Address to listen on: HOST:PORT, :PORT for all addresses, unix:PATH, or fd:NAME for a"
                    + " socket of the service manager. Port 0 takes a free one.")
    private Optional<SocketAddress> plain = Optional.empty();

    @Option(
            names = "--tls-listen",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description = "Address to listen on for TLS, besides --listen or instead: with --cert and --key, or"
                    + " --tls-self-signed.")
    private Optional<SocketAddress> secure = Optional.empty();

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "The certificate in PEM, followed by its chain to the authority. Read again on SIGHUP.")
    private Optional<Path> chain = Optional.empty();

    @Option(names = "--key", paramLabel = "FILE", description = "Its private key in PEM.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--tls-self-signed",
            description = "Create an untrusted certificate for localhost, for trying things out.")
    private boolean isSelfSigned;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private @Nullable TlsIdentity selfSigned;
    private @Nullable TlsReload tls;

    boolean areGiven() {
        return plain.isPresent() || secure.isPresent();
    }

    /// Whether any address is given.
    boolean hasAny() {
        return areGiven() || chain.isPresent() || key.isPresent() || isSelfSigned;
    }

    /// Checks the options together, and reads the files.
    ///
    /// @param more further settings for the server
    void read(UnaryOperator<TlsServer> more) {
        check();
        if (secure.isPresent()) tls = Tls.reloading(() -> more.apply(Tls.server(identity())));
    }

    /// Checks the options together, and whether the files can be read.
    void check() {
        if (!areGiven()) throw wrong("name an address to listen on: --listen, --tls-listen, or both");
        boolean hasFiles = chain.isPresent() || key.isPresent();
        if (secure.isEmpty()) {
            if (hasFiles || isSelfSigned)
                throw wrong("--cert, --key and --tls-self-signed are for --tls-listen: add it");
            return;
        }
        if (hasFiles == isSelfSigned || (hasFiles && (chain.isEmpty() || key.isEmpty())))
            throw wrong("--tls-listen needs --cert and --key, or --tls-self-signed");
        if (isSelfSigned)
            spec.commandLine()
                    .getErr()
                    .println("the certificate is untrusted, and only for trying"
                            + " things out: use --cert and --key for anything else");
        JdkProviders.leaveOutServices();
        if (isSelfSigned) selfSigned = TlsIdentity.selfSigned("localhost", "127.0.0.1", "::1");
        try {
            var _ = identity();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /// The server's certificate and key, from the files as they are now.
    ///
    /// @throws IllegalArgumentException when they do not hold a certificate and its key, with the remedy
    /// @throws UncheckedIOException when they cannot be read
    TlsIdentity identity() {
        var made = selfSigned;
        return made != null ? made : TlsIdentity.pem(chain.orElseThrow(), key.orElseThrow());
    }

    /// The address in the clear.
    Optional<SocketAddress> plain() {
        return plain;
    }

    /// The address for TLS.
    Optional<SocketAddress> secure() {
        return secure;
    }

    /// The listeners that are wanted, after [#read].
    ///
    /// @param sockets of a service manager, for their addresses
    List<Optional<Listen>> at(EventLoops loops, InheritedSockets sockets) throws UnknownHostException {
        return List.of(
                plain(loops).map(on -> on.inherited(sockets)), secure(loops).map(on -> on.inherited(sockets)));
    }

    /// The listener without TLS, if wanted.
    private Optional<Listen> plain(EventLoops loops) throws UnknownHostException {
        if (plain.isEmpty()) return Optional.empty();
        return Optional.of(Listen.on(HostLookup.resolved(plain.get())).loops(loops));
    }

    private Optional<Listen> secure(EventLoops loops) throws UnknownHostException {
        var its = tls;
        if (its == null) return Optional.empty();
        return Optional.of(Listen.on(HostLookup.resolved(secure.orElseThrow()))
                .loops(loops)
                .through(its));
    }

    /// Reads the files again on SIGHUP, until it is closed.
    ///
    /// @return null without TLS
    Signals.@Nullable Catching onHangUp() {
        var its = tls;
        return its == null ? null : Signals.on("HUP", its::reload);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
