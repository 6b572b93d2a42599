package io.millrace.cli;

import io.millrace.Signals;
import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.service.ProxyService;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/// Runs a configuration, and applies its changes.
final class ProxyRun {
    private static final System.Logger LOG = System.getLogger("io.millrace.proxy");
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final ProxySource source;
    private final PrintWriter out;
    private final PrintWriter err;

    ProxyRun(ProxySource source, PrintWriter out, PrintWriter err) {
        this.source = source;
        this.out = out;
        this.err = err;
    }

    /// Serves until a signal ends it, or the next process takes over.
    ///
    /// @return the exit code
    int serve() throws IOException, InterruptedException {
        var found = read();
        if (found instanceof CheckedFile.Bad) return 1;
        try (var signals = Signals.catchTermination();
                var service = ProxyService.start(((CheckedFile.Good) found).configuration(), signals::raise);
                var _ = Signals.on("HUP", () -> reload(service, "SIGHUP came"));
                var _ = Signals.on("USR1", service::reopenLogs)) {
            for (var address : service.addresses()) out.println("listening on " + Wording.of(address));
            service.adminAddress().ifPresent(address -> out.println("admin page on " + HostPortOption.page(address)));
            service.onReload(() -> reloaded(service, "the admin page asked for it"));
            while (!signals.await(LOOK)) reloadIfChanged(service);
            service.drain();
            return 0;
        } catch (IllegalArgumentException e) {
            err.println(source + ": " + e.getMessage());
            return 1;
        }
    }

    /// Reports errors.
    private CheckedFile read() {
        var found = source.read();
        if (found instanceof CheckedFile.Bad bad) bad.problems().forEach(err::println);
        return found;
    }

    private synchronized void reloadIfChanged(ProxyService service) {
        if (source.isChanged()) reload(service, "it has changed");
    }

    private void reload(ProxyService service, String why) {
        try {
            var _ = reloaded(service, why);
        } catch (IOException e) {
            LOG.log(Level.WARNING, e.getMessage());
        } catch (RuntimeException e) {
            // A bug of ours, but the proxy goes on.
            LOG.log(Level.WARNING, notUsed(e.toString()), e);
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
