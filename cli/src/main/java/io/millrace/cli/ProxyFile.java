package io.millrace.cli;

import io.millrace.Signals;
import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.file.Checked;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.service.FileChanges;
import io.millrace.proxy.service.ProxyService;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/// `millrace proxy --config FILE`: serves what a file says, and what it says when it has changed.
final class ProxyFile {
    private static final System.Logger LOG = System.getLogger("io.millrace.proxy");
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Path file;
    private final PrintWriter out;
    private final PrintWriter err;
    private final FileChanges changes;

    ProxyFile(Path file, PrintWriter out, PrintWriter err) {
        this.file = file;
        this.out = out;
        this.err = err;
        this.changes = new FileChanges(file);
    }

    /// Looks at the file and does nothing else.
    ///
    /// @return the exit code
    int check() {
        var found = read();
        if (found.isEmpty()) return 1;
        out.println(file + " is fine: " + found.get().listeners().size() + " listeners, "
                + found.get().routes().size() + " routes, "
                + found.get().upstreams().size() + " upstreams");
        return 0;
    }

    /// Writes the file with the names that keys have now.
    ///
    /// @return the exit code: 1 when more than names is wrong with it, which is told
    int convert() throws IOException {
        var folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        var now = ConfigurationFile.converted(folder, Files.readString(file), System.getenv());
        out.print(now);
        out.flush();
        return switch (ConfigurationFile.parse(file.toString(), folder, now, System.getenv())) {
            case Checked.Good _ -> 0;
            case Checked.Bad bad -> {
                bad.problems().forEach(err::println);
                yield 1;
            }
        };
    }

    /// Serves until a signal ends it, or the next process takes over.
    ///
    /// @return the exit code
    int serve() throws IOException, InterruptedException {
        var found = read();
        if (found.isPresent() && changes.with(found.get().files())) found = read();
        if (found.isEmpty()) return 1;
        try (var signals = Signals.catchTermination();
                var service = ProxyService.start(found.get(), signals::raise);
                var _ = Signals.on("HUP", () -> reload(service, "SIGHUP came"));
                var _ = Signals.on("USR1", service::reopenLogs)) {
            for (var address : service.addresses()) out.println("listening on " + Wording.of(address));
            service.adminAddress().ifPresent(address -> out.println("admin page on " + HostPort.page(address)));
            service.onReload(() -> reloaded(service, "the admin page asked for it"));
            while (!signals.await(LOOK)) reloadIfChanged(service);
            service.drain();
            return 0;
        } catch (IllegalArgumentException e) {
            err.println(file + ": " + e.getMessage());
            return 1;
        }
    }

    private Optional<Configuration> read() {
        return switch (ConfigurationFile.read(file, System.getenv())) {
            case Checked.Good good -> Optional.of(good.configuration());
            case Checked.Bad bad -> {
                bad.problems().forEach(err::println);
                yield Optional.empty();
            }
        };
    }

    private synchronized void reloadIfChanged(ProxyService service) {
        if (changes.isChanged()) reload(service, "it has changed");
    }

    private void reload(ProxyService service, String why) {
        try {
            var _ = reloaded(service, why);
        } catch (IOException e) {
            LOG.log(Level.WARNING, e.getMessage());
        } catch (RuntimeException e) {
            // A mistake of ours, which is no reason to serve nobody.
            LOG.log(Level.WARNING, notUsed(e.toString()), e);
        }
    }

    /// @param why it is read again
    /// @return what to tell
    /// @throws IOException with what to tell, when the file cannot be used
    private synchronized String reloaded(ProxyService service, String why) throws IOException {
        changes.taken();
        var next = ConfigurationFile.read(file, System.getenv());
        if (next instanceof Checked.Good good
                && changes.with(good.configuration().files())) next = ConfigurationFile.read(file, System.getenv());
        if (next instanceof Checked.Bad bad) {
            bad.problems().forEach(err::println);
            service.refused();
            throw new IOException(notUsed(bad.problems().getFirst().toString()));
        }
        try {
            var configuration = ((Checked.Good) next).configuration();
            var done = file + " is in force, because " + why + ": " + service.reload(configuration);
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
        return file + " is not used, and the configuration before stays in force: " + why;
    }
}
