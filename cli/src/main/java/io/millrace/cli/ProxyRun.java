package io.millrace.cli;

import io.millrace.Signals;
import io.millrace.Supervisor;
import io.millrace.acme.Acme;
import io.millrace.http.acme.CertificateKeeper;
import io.millrace.loop.Wording;
import io.millrace.net.Loop;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.service.ProxyService;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Runs a configuration, and applies its changes.
final class ProxyRun {
    private static final System.Logger LOG = System.getLogger("io.millrace.proxy");
    private static final String SERVES = "serves";
    private static final String SERVES_BEFORE = "serves the configuration before: the log says what is wrong";

    private final ProxySource source;
    private final NextProcess next;
    private final PrintWriter out;
    private final PrintWriter err;

    /// @param next the process that takes over when it is asked for
    ProxyRun(ProxySource source, NextProcess next, PrintWriter out, PrintWriter err) {
        this.source = source;
        this.next = next;
        this.out = out;
        this.err = err;
    }

    /// Serves until a signal ends it, or the next process takes over.
    ///
    /// @return the exit code
    int serve() throws IOException, InterruptedException {
        JdkProviders.leaveOutServices();
        var manager = Supervisor.ofEnvironment();
        // A signal that comes while this starts takes effect when it serves, instead of ending the process.
        var serving = new CompletableFuture<Serving>();
        try (var _ = Signals.on("HUP", when(serving, it -> reload(it.service, manager, "SIGHUP came")));
                var _ = Signals.on("USR1", when(serving, it -> it.service.reopenLogs()));
                var _ = Signals.on("USR2", when(serving, it -> startNext(it.configuration)))) {
            return read() instanceof CheckedFile.Good(var configuration, var _)
                    ? serve(configuration, manager, serving)
                    : 1;
        }
    }

    private static Runnable when(CompletableFuture<Serving> serving, Consumer<Serving> action) {
        return () -> {
            var _ = serving.thenAccept(action);
        };
    }

    /// What signals are about.
    private record Serving(ProxyService service, Configuration configuration) {}

    private int serve(Configuration configuration, Supervisor manager, CompletableFuture<Serving> serving)
            throws IOException, InterruptedException {
        try (var signals = Signals.catchTermination();
                var service = ProxyService.start(
                        configuration, manager.sockets(), Optional.of(ProxyRun::keeper), signals::raise)) {
            for (var address : service.addresses()) out.println("listening on " + Wording.of(address));
            service.adminAddress().ifPresent(address -> out.println("admin page on " + HostPortOption.page(address)));
            service.onReload(() -> reloaded(service, "the admin page asked for it"));
            ServeCommand.warnOfUntaken(manager);
            if (service.predecessor().isPresent()) manager.readyInstead(SERVES);
            else manager.ready(SERVES);
            serving.complete(new Serving(service, configuration));
            var pulse = new Pulse(manager, service::answersWithin);
            while (!pulse.await(signals)) reloadIfChanged(service, manager);
            if (service.successor().isPresent())
                manager.followed(service.successor().getAsLong());
            else manager.stopping();
            service.drain();
            return 0;
        } catch (IllegalArgumentException e) {
            err.println(source + ": " + e.getMessage());
            return 1;
        }
    }

    /// What obtains certificates, for configurations with `acme`.
    private static CertificateKeeper keeper(Loop loop) {
        StandardErrorLog.showNewsOf("io.millrace.acme");
        // A library of acme4j logs with SLF4J, and there is nobody to tell.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        return Acme.keeper(loop);
    }

    /// Reports errors.
    private CheckedFile read() {
        var found = source.read();
        if (found instanceof CheckedFile.Bad bad) bad.problems().forEach(err::println);
        return found;
    }

    private void startNext(Configuration configuration) {
        if (configuration.runtime().handOver().isPresent()) next.start();
        else
            LOG.log(
                    Level.WARNING,
                    "SIGUSR2 starts no process, because it could not take over: name a socket with hand-over of"
                            + " runtime, or --hand-over, and start again");
    }

    private synchronized void reloadIfChanged(ProxyService service, Supervisor manager) {
        if (source.isChanged()) reload(service, manager, "it has changed");
    }

    private synchronized void reload(ProxyService service, Supervisor manager, String why) {
        manager.reloading();
        try {
            var _ = reloaded(service, why);
            manager.ready(SERVES);
        } catch (IOException e) {
            LOG.log(Level.WARNING, e.getMessage());
            manager.ready(SERVES_BEFORE);
        } catch (RuntimeException e) {
            // A bug of ours, but the proxy goes on.
            LOG.log(Level.WARNING, notUsed(e.toString()), e);
            manager.ready(SERVES_BEFORE);
        }
    }

    /// @param why it is read again
    /// @return the result, in words
    /// @throws IOException with the reason, if it cannot be used
    private synchronized String reloaded(ProxyService service, String why) throws IOException {
        return switch (read()) {
            case CheckedFile.Good good -> reloaded(service, good, why);
            case CheckedFile.Bad bad -> {
                var problem = bad.problems().getFirst().toString();
                service.refused(problem);
                throw new IOException(notUsed(problem));
            }
        };
    }

    private String reloaded(ProxyService service, CheckedFile.Good next, String why) throws IOException {
        try {
            var done = source + " is in force, because " + why + ": " + service.reload(next.configuration(), why);
            LOG.log(Level.INFO, done);
            return done;
        } catch (UncheckedIOException e) {
            throw new IOException(notUsed(String.valueOf(e.getMessage())), e);
        } catch (IOException e) {
            throw new IOException(notUsed(Wording.of(e)), e);
        } catch (IllegalArgumentException e) {
            throw new IOException(notUsed(String.valueOf(e.getMessage())), e);
        }
    }

    private String notUsed(String why) {
        return source + " is not used, and the configuration before stays in force: " + why;
    }
}
