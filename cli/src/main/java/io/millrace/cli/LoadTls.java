package io.millrace.cli;

import io.millrace.net.Stage;
import io.millrace.net.TlsError;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of loads over TLS.
final class LoadTls {
    @Option(names = "--insecure", description = "Over TLS: trust any certificate.")
    private boolean isInsecure;

    @Option(names = "--cacert", paramLabel = "FILE", description = "Over TLS: trust the authorities in this PEM file.")
    private Optional<Path> authorities = Optional.empty();

    @Option(names = "--no-resumption", description = "Over TLS: begin each connection with a full handshake.")
    private boolean isFresh;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private final LongAdder handshakes = new LongAdder();
    private boolean isUsed;

    /// The stage of each connection; empty when the URL is none over TLS.
    ///
    /// @param version of HTTP, for ALPN
    Optional<Stage> stage(HttpUrl url, String version) {
        if (!url.isSecure()) {
            if (!isInsecure && !isFresh && authorities.isEmpty()) return Optional.empty();
            throw wrong("--insecure, --cacert and --no-resumption are for https and wss: use such a URL, or leave"
                    + " them out");
        }
        JdkProviders.leaveOutServices();
        isUsed = true;
        var client = client(url, version);
        return Optional.of(context -> {
            handshakes.increment();
            return client.open(context);
        });
    }

    private TlsClient client(HttpUrl url, String version) {
        if (isInsecure && authorities.isPresent()) throw wrong("--insecure trusts any certificate: leave --cacert out");
        try {
            var client = Tls.client(url.name()).speaking(version);
            if (authorities.isPresent()) client = client.trusting(TlsIdentity.certificates(authorities.get()));
            if (isInsecure) client = client.insecurely();
            return isFresh ? client.withoutResumption() : client;
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /// A load.
    interface Run {
        /// Runs it.
        ///
        /// @return the exit code
        int run() throws IOException, InterruptedException;
    }

    /// Runs a load, and says what helps if it does not trust the server's certificate.
    ///
    /// @return its exit code
    int trusting(Run load) throws IOException, InterruptedException {
        try {
            return load.run();
        } catch (IOException e) {
            if (isInsecure || !(e.getCause() instanceof TlsError refusal && isDistrust(refusal))) throw e;
            throw new IOException(
                    e.getMessage()
                            + ": trust its issuer with --cacert FILE, or any certificate with --insecure, for"
                            + " experiments",
                    e);
        }
    }

    /// The JDK says no more than this.
    private static boolean isDistrust(TlsError refusal) {
        var message = String.valueOf(refusal.getMessage());
        return message.contains("PKIX") || message.contains("certificate") || message.contains("subject alternative");
    }

    private ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /// Says how many handshakes there were, over TLS.
    void tell(PrintWriter out) {
        if (isUsed) out.printf(Locale.ROOT, "         %,d TLS handshakes began%n", handshakes.sum());
    }
}
