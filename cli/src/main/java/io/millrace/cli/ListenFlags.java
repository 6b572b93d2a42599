package io.millrace.cli;

import io.millrace.EventLoops;
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
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Where a command listens, in the clear and for TLS: one of them at least.
final class ListenFlags {
    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description =
                    "Address to listen on: HOST:PORT, :PORT for all addresses, or unix:PATH. Port 0 takes a free one.")
    private Optional<SocketAddress> plain = Optional.empty();

    @Option(
            names = "--tls-listen",
            paramLabel = "HOST:PORT",
            converter = HostPortOption.ToListen.class,
            description = "Address to listen on for TLS, beside --listen or instead of it: with --cert and --key, or"
                    + " --tls-self-signed.")
    private Optional<SocketAddress> secure = Optional.empty();

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description =
                    "The certificate in PEM, and behind it those that lead to the authority. Read again on SIGHUP.")
    private Optional<Path> chain = Optional.empty();

    @Option(names = "--key", paramLabel = "FILE", description = "Its private key in PEM.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--tls-self-signed",
            description = "Take a certificate for localhost that is made now, and that nobody trusts: for trying"
                    + " things out.")
    private boolean isSelfSigned;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private @Nullable TlsIdentity selfSigned;
    private @Nullable TlsReload tls;

    boolean areGiven() {
        return plain.isPresent() || secure.isPresent();
    }

    /// Whether any of them is there.
    boolean hasAny() {
        return areGiven() || chain.isPresent() || key.isPresent() || isSelfSigned;
    }

    /// Looks at them together, and reads the files.
    ///
    /// @param more what the server is to say beside that
    void read(UnaryOperator<TlsServer> more) {
        check();
        if (secure.isPresent()) tls = Tls.reloading(() -> more.apply(Tls.server(identity())));
    }

    /// Looks at them together, and whether the files can be read.
    void check() {
        if (!areGiven()) throw wrong("name where to listen: --listen, --tls-listen, or both");
        boolean hasFiles = chain.isPresent() || key.isPresent();
        if (secure.isEmpty()) {
            if (hasFiles || isSelfSigned)
                throw wrong("--cert, --key and --tls-self-signed are for --tls-listen: add it");
            return;
        }
        if (hasFiles == isSelfSigned || (hasFiles && (chain.isEmpty() || key.isEmpty())))
            throw wrong("--tls-listen takes --cert and --key, or --tls-self-signed");
        if (isSelfSigned)
            spec.commandLine()
                    .getErr()
                    .println("the certificate is made for trying things out, and nobody"
                            + " trusts it: take --cert and --key for anything else");
        if (isSelfSigned) selfSigned = TlsIdentity.selfSigned("localhost", "127.0.0.1", "::1");
        try {
            var _ = identity();
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /// Who the server is: the files as they are at this moment.
    ///
    /// @throws IllegalArgumentException when they hold no certificate and its key, with the remedy
    /// @throws UncheckedIOException when they cannot be read
    TlsIdentity identity() {
        var made = selfSigned;
        return made != null ? made : TlsIdentity.pem(chain.orElseThrow(), key.orElseThrow());
    }

    /// Where it listens in the clear.
    Optional<SocketAddress> plain() {
        return plain;
    }

    /// Where it listens for TLS.
    Optional<SocketAddress> secure() {
        return secure;
    }

    /// Without TLS, if that is wanted.
    Optional<Listen> plain(EventLoops loops) throws UnknownHostException {
        if (plain.isEmpty()) return Optional.empty();
        return Optional.of(Listen.on(HostLookup.resolved(plain.get())).loops(loops));
    }

    /// With TLS, if that is wanted; behind [#read].
    Optional<Listen> secure(EventLoops loops) throws UnknownHostException {
        var its = tls;
        if (its == null) return Optional.empty();
        return Optional.of(Listen.on(HostLookup.resolved(secure.orElseThrow()))
                .loops(loops)
                .through(its));
    }

    /// Has SIGHUP read the files again, until it is closed.
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
