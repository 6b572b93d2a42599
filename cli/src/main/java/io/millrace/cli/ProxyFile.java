package io.millrace.cli;

import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.service.FileChanges;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// The file of `millrace proxy --config FILE`.
final class ProxyFile implements ProxySource {
    /// Of one change: what is still changing then counts at the next look.
    private static final int MOST_READINGS = 5;

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

    /// Only checks the file.
    ///
    /// @return the exit code
    int check() {
        return switch (parsed()) {
            case CheckedFile.Good good -> {
                var found = good.configuration();
                out.println(
                        file + " is fine: " + Wording.count(found.listeners().size(), "listener") + ", "
                                + Wording.count(found.routes().size(), "route") + ", "
                                + Wording.count(found.upstreams().size(), "upstream"));
                yield 0;
            }
            case CheckedFile.Bad bad -> tell(bad);
        };
    }

    /// Writes the file with the current names of its keys.
    ///
    /// @return the exit code: 1 if the file has other errors, which are reported
    int convert() throws IOException {
        var folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        var now = ConfigurationFile.converted(folder, Files.readString(file), System.getenv());
        out.print(now);
        out.flush();
        var checked = ConfigurationFile.parse(file.toString(), folder, now, System.getenv());
        return checked instanceof CheckedFile.Bad bad ? tell(bad) : 0;
    }

    private int tell(CheckedFile.Bad bad) {
        bad.problems().forEach(err::println);
        return 1;
    }

    /// If the file now names other files, these are read again: they may have changed in between.
    @Override
    public CheckedFile read() {
        changes.taken();
        var found = parsed();
        for (int i = 0; i < MOST_READINGS && changes.with(files(found)); i++) found = parsed();
        return found;
    }

    /// Those of a bad one are not all known, so the ones of before are looked at, too.
    private List<Path> files(CheckedFile found) {
        return switch (found) {
            case CheckedFile.Good good -> good.files();
            case CheckedFile.Bad bad ->
                Stream.concat(changes.others().stream(), bad.files().stream())
                        .distinct()
                        .toList();
        };
    }

    private CheckedFile parsed() {
        return ConfigurationFile.read(file, System.getenv());
    }

    @Override
    public boolean isChanged() {
        return changes.isChanged();
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
