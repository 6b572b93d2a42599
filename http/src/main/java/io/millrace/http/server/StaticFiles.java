package io.millrace.http.server;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.coding.FileCoding;
import io.millrace.http.file.CodedFiles;
import io.millrace.http.file.DirectoryPage;
import io.millrace.http.file.Fallback;
import io.millrace.http.file.FileResponse;
import io.millrace.http.file.FileThreads;
import io.millrace.http.file.FileTree;
import io.millrace.http.file.PathNames;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.memory.Reserve;
import io.millrace.net.CheckReturnValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Answers with the files below a directory, as [Response#file] does with one. Immutable; any thread may call it,
/// and it returns at once: other threads wait for the file system, for at most 16 requests at a time in the whole
/// JVM. 4096 more requests can queue; beyond that the answer is 503.
///
/// ```java
/// var assets = StaticFiles.of(Path.of("assets")).under("/assets");
/// HttpHandler app = request -> request.path().startsWith("/assets/") ? assets.handle(request) : Response.status(404);
/// ```
/// Only regular files are served, and nothing that really lies outside the directory, whatever links say. Names
/// that begin with a dot are hidden, except `.well-known`. For all of these the answer is 404. A directory is
/// served as its `index.html`; without its slash in the path, the answer is 301 to the path with it. Everyone who
/// can write to the directory is trusted: links are checked just before a file is opened.
///
/// Two with the same directory and settings are equal.
@CheckReturnValue
public final class StaticFiles implements HttpHandler {
    /// The most names of [#index], and the most of [#tryFiles].
    public static final int MOST_NAMES = 16;

    private static final Settings STANDARD =
            new Settings("", List.of("index.html"), false, List.of(), new CodedFiles(List.of()));

    private final FileTree tree;
    private final Settings settings;

    /// Its properties.
    ///
    /// @param tries the texts of the fallbacks
    private record Settings(
            String prefix, List<String> index, boolean isListing, List<String> tries, CodedFiles coded) {}

    /// Made of the settings.
    private final List<Fallback> fallbacks;

    /// A request, as a thread for files gets it.
    private record Visit(PathNames asked, Request request, String mount, Optional<Reserve> memory) {}

    private StaticFiles(FileTree tree, Settings settings) {
        this.tree = tree;
        this.settings = settings;
        this.fallbacks = settings.tries.stream().map(Fallback::of).toList();
    }

    /// Serves the files below a directory. The directory may be a link, and may later lead elsewhere.
    ///
    /// @throws IllegalArgumentException when there is no such directory
    public static StaticFiles of(Path root) {
        if (Files.isDirectory(root)) return new StaticFiles(new FileTree(root.toAbsolutePath()), STANDARD);
        throw new IllegalArgumentException("'" + root + "' is not a directory: create it, or name another one");
    }

    /// The directory, as an absolute path.
    public Path root() {
        return tree.root();
    }

    /// A copy for paths that begin with a prefix, which is removed: with `/assets`, `/assets/a.css` means
    /// `a.css`. Other paths get 404.
    ///
    /// @throws IllegalArgumentException for a prefix that is not a path
    public StaticFiles under(String prefix) {
        var target = Target.parse(prefix);
        var path = target.path();
        if (!path.startsWith("/") || !target.authority().isEmpty() || prefix.indexOf('?') >= 0) {
            throw new IllegalArgumentException("'" + prefix + "' is not a path: use one like /assets");
        }
        var removed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        return with(new Settings(removed, settings.index, settings.isListing, settings.tries, settings.coded));
    }

    private StaticFiles with(Settings changed) {
        return new StaticFiles(tree, changed);
    }

    /// The prefix, without a slash at its end; empty for none.
    public String under() {
        return settings.prefix;
    }

    /// A copy that serves a directory as the first of these files that it has; by default `index.html`. Without any,
    /// directories are listed, or 404.
    ///
    /// @throws IllegalArgumentException for more than 16 names, and a name that is never served
    public StaticFiles index(List<String> names) {
        checkCount(names);
        for (var name : names) {
            if (!PathNames.mayBeAskedFor(name)) {
                throw new IllegalArgumentException("'" + name + "' is never served: name a file, not hidden, no path");
            }
        }
        return with(
                new Settings(settings.prefix, List.copyOf(names), settings.isListing, settings.tries, settings.coded));
    }

    public List<String> index() {
        return settings.index;
    }

    /// A copy that answers for a directory without an [#index] with sorted links to its entries, their sizes and dates;
    /// of more than 1000 entries, to the first 1000 from the file system. By default such a directory gets 404.
    public StaticFiles listing(boolean isOn) {
        return with(new Settings(settings.prefix, settings.index, isOn, settings.tries, settings.coded));
    }

    public boolean listing() {
        return settings.isListing;
    }

    /// A copy that tries these for a path that leads to nothing, one after the other: `{path}.html` is the path with
    /// more at its end, `/index.html` a file of the directory, sent with status 200 (for applications of a single
    /// page), `=410` a status. By default it is 404. Names that are never served get 404 at once.
    ///
    /// @throws IllegalArgumentException for more than 16, for other texts, and for a status that is not the last
    public StaticFiles tryFiles(List<String> inTurn) {
        checkCount(inTurn);
        for (int i = 0; i < inTurn.size() - 1; i++) {
            if (Fallback.of(inTurn.get(i)) instanceof Fallback.Status) {
                throw new IllegalArgumentException("'" + inTurn.get(i + 1) + "' is behind " + inTurn.get(i)
                        + " and never tried: put the status last");
            }
        }
        return with(
                new Settings(settings.prefix, settings.index, settings.isListing, List.copyOf(inTurn), settings.coded));
    }

    public List<String> tryFiles() {
        return settings.tries;
    }

    private static void checkCount(List<String> names) {
        if (names.size() > MOST_NAMES)
            throw new IllegalArgumentException(names.size() + " names: take " + MOST_NAMES + " at most");
    }

    /// A copy that serves `a.css.br`, `a.css.zst` or `a.css.gz` in place of `a.css` to clients that accept it
    /// (`Accept-Encoding` with its weights), if it is not older. By default it does not look for them.
    ///
    /// @param codings of `br`, `zstd` and `gzip`; the first is taken if a client wants several alike
    /// @throws IllegalArgumentException for any other
    public StaticFiles precompressed(List<String> codings) {
        var coded = codings.stream().map(FileCoding::of).distinct().toList();
        return with(new Settings(
                settings.prefix, settings.index, settings.isListing, settings.tries, new CodedFiles(coded)));
    }

    public List<String> precompressed() {
        return settings.coded.codings().stream().map(FileCoding::token).toList();
    }

    @Override
    public Response handle(Request request) {
        if (!FileResponse.isFor(request)) return FileResponse.notAllowed();
        if (!request.path().startsWith(settings.prefix)) return Response.status(404);
        var names = PathNames.of(request.path().substring(settings.prefix.length()));
        if (names.isEmpty()) return Response.status(404);
        // The lent request is no longer valid when a thread gets to it.
        var kept = BuiltRequest.withoutBody(request);
        var visit = new Visit(names.get(), kept, Routes.mountedAt(request), FileResponse.memoryFor(request));
        return Response.later(FileThreads.call(() -> answer(visit)));
    }

    private Response answer(Visit visit) throws IOException {
        var found = asked(visit);
        if (found.isPresent()) return found.get();
        for (var fallback : fallbacks) {
            switch (fallback) {
                case Fallback.Status gone -> {
                    return Response.status(gone.status());
                }
                case Fallback.InFolder page -> found = file(tree.root(), page.names(), visit);
                case Fallback.Suffix suffix -> found = withSuffix(suffix.more(), visit);
            }
            if (found.isPresent()) return found.get();
        }
        return Response.status(404);
    }

    private Optional<Response> asked(Visit visit) throws IOException {
        var names = visit.asked.names();
        var found = tree.find(tree.root(), names);
        if (found.isPresent() && Files.isDirectory(found.get())) return directory(found.get(), visit);
        return visit.asked.isDirectory() || names.isEmpty() ? Optional.empty() : file(tree.root(), names, found, visit);
    }

    private Optional<Response> withSuffix(String more, Visit visit) {
        if (visit.asked.isDirectory() || visit.asked.names().isEmpty()) return Optional.empty();
        var names = new ArrayList<>(visit.asked.names());
        names.add(names.removeLast() + more);
        return file(tree.root(), names, visit);
    }

    private Optional<Response> file(Path from, List<String> names, Visit visit) {
        return file(from, names, tree.find(from, names), visit);
    }

    private Optional<Response> file(Path from, List<String> names, Optional<Path> found, Visit visit) {
        if (found.isEmpty()) return Optional.empty();
        var file = settings.coded.of(tree, from, names, found.get(), visit.request);
        var response = FileResponse.of(file.path(), file.as(), visit.request, visit.memory);
        return response.status() == 404 ? Optional.empty() : Optional.of(response);
    }

    private Optional<Response> directory(Path directory, Visit visit) throws IOException {
        for (var name : settings.index) {
            var index = tree.find(directory, List.of(name)).filter(Files::isRegularFile);
            if (index.isEmpty()) continue;
            return visit.asked.isDirectory() ? file(directory, List.of(name), index, visit) : Optional.of(moved(visit));
        }
        if (!settings.isListing) return Optional.empty();
        if (!visit.asked.isDirectory()) return Optional.of(moved(visit));
        return Optional.of(DirectoryPage.of(tree, directory, visit.mount + settings.prefix, visit.asked.names()));
    }

    /// The path has gone through [PathNames], so it does not begin with two slashes, which would name another
    /// host.
    private static Response moved(Visit visit) {
        var query = visit.request.query().isEmpty() ? "" : "?" + visit.request.query();
        return BuiltResponse.of(301, Body.Whole.NONE)
                .setHeader("Location", visit.mount + visit.request.path() + "/" + query);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof StaticFiles other && tree.equals(other.tree) && settings.equals(other.settings);
    }

    @Override
    public int hashCode() {
        return Objects.hash(tree, settings);
    }

    @Override
    public String toString() {
        return "files of " + tree.root() + ", " + settings;
    }
}
