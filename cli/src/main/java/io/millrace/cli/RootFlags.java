package io.millrace.cli;

import io.millrace.http.server.StaticFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options about the files of a folder.
final class RootFlags {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(names = "--root", paramLabel = "DIR", description = "Serve the files of this folder, too.")
    private Optional<Path> root = Optional.empty();

    @Option(names = "--listing", description = "List the folders of --root that have no index.html.")
    private boolean isListing;

    @Option(
            names = "--try-files",
            paramLabel = "WHAT",
            split = ",",
            description = "For paths of --root that lead to nothing, in turn: {path}.html, a file like /index.html, or"
                    + " a status like =404.")
    private List<String> tryFiles = List.of();

    @Option(
            names = "--precompressed",
            paramLabel = "CODING",
            split = ",",
            description = "Of br, zstd and gzip: serve a.css.br, a.css.zst or a.css.gz for a.css to clients that accept"
                    + " it.")
    private List<String> precompressed = List.of();

    /// The handler of the files, if there is a folder.
    Optional<StaticFiles> files() {
        if (root.isPresent()) return Optional.of(files(root.get()));
        if (!isListing && tryFiles.isEmpty() && precompressed.isEmpty()) return Optional.empty();
        throw wrong("--listing, --try-files and --precompressed are about the files of a folder: name it with --root");
    }

    private StaticFiles files(Path folder) {
        if (!Files.isDirectory(folder)) throw wrong("--root " + folder + " is not a folder: name one that exists");
        try {
            return StaticFiles.of(folder).listing(isListing).tryFiles(tryFiles).precompressed(precompressed);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
