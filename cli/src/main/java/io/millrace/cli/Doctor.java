package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.Transports;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/// `millrace doctor`: what Millrace can use on this machine and in this JVM, and how to fix what it cannot.
@Command(name = "doctor", description = "Show what works on this machine, and how to fix what does not.")
final class Doctor extends Subcommand {
    /// The best one first; the last works everywhere.
    private static final List<TransportKind> KINDS =
            List.of(TransportKind.URING, TransportKind.EPOLL, TransportKind.NIO);

    private final List<String> remedies = new ArrayList<>();

    @Override
    public Integer call() {
        var out = out();
        tellSystem(out);
        boolean isGood = tellTransports(out);
        tellCarriers(out);
        tellTls(out);
        tellLimits(out);
        tellRemedies(out);
        return isGood ? 0 : 1;
    }

    private static void tellSystem(PrintWriter out) {
        out.println("system");
        tell(out, "kernel", property("os.name") + " " + property("os.version") + " on " + property("os.arch"));
        tell(out, "JDK", Runtime.version() + " in " + property("java.home"));
        tell(out, "processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
        tell(out, "heap", "up to " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB");
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    /// Whether a transport made for this system works.
    private boolean tellTransports(PrintWriter out) {
        out.println("transports");
        boolean isGood = false;
        for (var kind : KINDS) {
            var why = brokenBecause(kind);
            tell(
                    out,
                    kind.label(),
                    why.map(reason -> "does not work: " + reason).orElse("works"));
            if (!isMadeForThisSystem(kind)) continue;
            isGood |= why.isEmpty();
            why.ifPresent(reason -> remedies.add(kind.label() + " would need less CPU here: " + reason));
        }
        tell(out, "auto", "takes " + Transports.best().label());
        return isGood;
    }

    private static boolean isMadeForThisSystem(TransportKind kind) {
        return (kind != TransportKind.NIO) == property("os.name").equals("Linux");
    }

    private static Optional<String> brokenBecause(TransportKind kind) {
        return Transports.unavailableBecause(kind).or(() -> RoundTrip.brokenBecause(kind));
    }

    private void tellCarriers(PrintWriter out) {
        out.println("virtual threads");
        var why = EventLoops.carriersUnavailableBecause();
        tell(
                out,
                "carriers",
                why.map(reason -> "not available: " + reason).orElse("available: the event loops carry them"));
        why.ifPresent(reason -> remedies.add("sessions in direct style cost more than they need to: " + reason));
    }

    private void tellTls(PrintWriter out) {
        out.println("TLS");
        tell(out, "engine", TlsProviders.engine());
        tell(out, "AES-GCM", "from " + TlsProviders.aes());
        tell(out, "keys", "from " + TlsProviders.agreement());
        var isFast = LimitOptions.hasAesInstructions();
        tell(
                out,
                "processor",
                isFast.map(has -> has ? "has AES instructions" : "has no AES instructions")
                        .orElse("unknown on this system whether it has AES instructions"));
        if (isFast.equals(Optional.of(false)))
            remedies.add("TLS costs several times as much without AES instructions: use another kind of"
                    + " machine, or let the hypervisor expose them");
    }

    private void tellLimits(PrintWriter out) {
        out.println("limits");
        var files = LimitOptions.openFiles();
        tell(out, "open files", files.map(LimitOptions.OpenFiles::toString).orElse("unknown on this system"));
        files.flatMap(LimitOptions.OpenFiles::remedy).ifPresent(remedies::add);
        var backlog = LimitOptions.somaxconn();
        tell(out, "somaxconn", backlog.map(String::valueOf).orElse("unknown on this system"));
        backlog.flatMap(LimitOptions::backlogRemedy).ifPresent(remedies::add);
    }

    private void tellRemedies(PrintWriter out) {
        if (remedies.isEmpty()) return;
        out.println("to fix");
        for (var remedy : remedies) out.println("  - " + remedy);
    }

    private static void tell(PrintWriter out, String what, String finding) {
        out.printf("  %-11s %s%n", what, finding);
    }
}
