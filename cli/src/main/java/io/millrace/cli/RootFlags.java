package io.millrace.cli;

import io.millrace.http.HttpHandler;
import io.millrace.http.HttpSettings;
import io.millrace.http.filter.ErrorPages;
import io.millrace.http.filter.Expires;
import io.millrace.http.server.StaticFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
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

    @Option(
            names = "--index",
            paramLabel = "FILE",
            split = ",",
            description = "What a folder of --root is served as: the first of these files that it has; by default"
                    + " index.html.")
    private List<String> index = List.of();

    @Option(names = "--listing", description = "List the folders of --root that have no index.")
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

    @Option(
            names = "--expires",
            paramLabel = "TYPE=AGE",
            split = ",",
            converter = ExpiresOption.ToExpires.class,
            description = "For how long clients may use files of --root without asking again, by their media type:"
                    + " text/css=1h, image/*=30d, */*=5m for all others.")
    private List<ExpiresOption> expires = List.of();

    @Option(
            names = "--error-page",
            paramLabel = "STATUS=FILE",
            split = ",",
            converter = ErrorPageOption.ToErrorPage.class,
            description = "A file of --root as the body of errors: 404=/404.html, 5xx=/sorry.html. Read once, at the"
                    + " start.")
    private List<ErrorPageOption> errorPages = List.of();

    /// The handler of the files, if there is a folder.
    Optional<HttpHandler> files() {
        if (root.isPresent()) return Optional.of(checked(() -> files(root.get())));
        if (!isListing
                && Stream.of(index, tryFiles, precompressed, expires, errorPages)
                        .allMatch(List::isEmpty)) return Optional.empty();
        throw wrong("--index, --listing, --try-files, --precompressed, --expires and --error-page are about the files"
                + " of a folder: name it with --root");
    }

    private HttpHandler files(Path folder) {
        if (!Files.isDirectory(folder))
            throw new IllegalArgumentException("--root " + folder + " is not a folder: name one that exists");
        var files = StaticFiles.of(folder).listing(isListing).tryFiles(tryFiles).precompressed(precompressed);
        if (!index.isEmpty()) files = files.index(index);
        var lifetimes = Expires.of();
        for (var one : expires) lifetimes = one.addedTo(lifetimes);
        return expires.isEmpty() ? files : lifetimes.around(files);
    }

    /// With the pages for errors, if there are some. After [#files].
    HttpSettings settings() {
        if (errorPages.isEmpty()) return HttpSettings.standard();
        return HttpSettings.standard().errors(checked(() -> errorPages(root.orElseThrow())));
    }

    private ErrorPages errorPages(Path folder) {
        var pages = ErrorPages.in(folder);
        // A status takes the place of its class.
        var widestFirst = errorPages.stream()
                .sorted(Comparator.comparing(ErrorPageOption::isOneStatus))
                .toList();
        for (var one : widestFirst) pages = one.addedTo(pages);
        for (var file : pages.files()) {
            if (!Files.isRegularFile(file))
                throw new IllegalArgumentException(
                        "there is no page " + file + " for errors: make it, or name another one");
        }
        return pages;
    }

    private <T> T checked(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
