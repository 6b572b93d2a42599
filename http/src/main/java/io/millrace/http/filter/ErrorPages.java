package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import io.millrace.http.ErrorResponses;
import io.millrace.http.Headers;
import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.file.FileTree;
import io.millrace.http.file.MediaTypes;
import io.millrace.http.file.PathNames;
import io.millrace.http.grammar.Grpc;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Pages from files as the bodies of errors; the status stays, and so do fields such as `Retry-After` and `Allow`.
/// Immutable: each method returns a copy. Any thread.
///
/// ```java
/// var pages = ErrorPages.in(Path.of("errors")).pages(500, 599, "/sorry.html").page(404, "/missing.html");
/// Http.listen(8080, HttpSettings.standard().errors(pages), app);   // all errors of a server without a body of their
/// own
/// HttpHandler other = pages.interceptErrors(true).around(backends); // errors of one handler, whatever their body
/// ```
/// A page is read once, when it is named, and kept in memory: an error never waits for a disk. Make new ones to see
/// changed files. Without its file (or if the file lies outside the folder, cannot be read, or is longer than
/// [#MOST_BYTES]) errors stay as they are, and one log line says why.
///
/// Two with the same folder, settings and contents are equal.
@CheckReturnValue
public final class ErrorPages implements HttpFilter, ErrorResponses {
    /// The longest page, in bytes.
    public static final int MOST_BYTES = 256 << 10;

    /// The most different files.
    public static final int MOST_PAGES = 64;

    private static final System.Logger LOG = LoopLog.of("io.millrace.http");

    /// Fields about the content, besides those that begin with `Content-`.
    private static final Set<String> OF_CONTENT =
            Set.of("etag", "last-modified", "accept-ranges", "digest", "repr-digest", "cache-control", "expires");

    private final FileTree tree;
    private final Map<Integer, PageFile> pages;
    private final boolean isIntercepting;

    /// A page.
    ///
    /// @param content empty if it cannot be used
    private record PageFile(Path file, Optional<Bytes> content) {}

    private ErrorPages(FileTree tree, Map<Integer, PageFile> pages, boolean isIntercepting) {
        this.tree = tree;
        this.pages = Map.copyOf(pages);
        this.isIntercepting = isIntercepting;
    }

    /// Pages below a folder; none yet.
    ///
    /// @throws IllegalArgumentException when there is no such folder
    public static ErrorPages in(Path folder) {
        if (Files.isDirectory(folder)) return new ErrorPages(new FileTree(folder.toAbsolutePath()), Map.of(), false);
        throw new IllegalArgumentException("'" + folder + "' is not a directory: create it, or name another one");
    }

    /// Sets the page for a status. Waits for the file system.
    ///
    /// @param path of the file below the folder, like `/404.html`
    /// @throws IllegalArgumentException for a status that is no error, a path that is never served, and more than
    ///     [#MOST_PAGES] files
    public ErrorPages page(int status, String path) {
        return pages(status, status, path);
    }

    /// The same for several statuses, in place of pages that they have: 500 to 599, for instance.
    ///
    /// @param to included
    public ErrorPages pages(int from, int to, String path) {
        if (from < 400 || to > 599 || from > to)
            throw new IllegalArgumentException("pages for the statuses " + from + " to " + to + ": take 400 to 599");
        var page = page(path);
        var more = new TreeMap<>(pages);
        for (int status = from; status <= to; status++) more.put(status, page);
        var copy = new ErrorPages(tree, more, isIntercepting);
        if (copy.files().size() <= MOST_PAGES) return copy;
        throw new IllegalArgumentException("more than " + MOST_PAGES + " pages: let several statuses share one");
    }

    private PageFile page(String path) {
        var names = PathNames.of(path)
                .filter(asked -> !asked.isDirectory() && !asked.names().isEmpty());
        if (names.isEmpty()) {
            throw new IllegalArgumentException("'" + path
                    + "' is never served: name a file in the folder, like /404.html, not hidden and without ..");
        }
        var file = tree.root().resolve(String.join("/", names.get().names()));
        var known =
                pages.values().stream().filter(page -> page.file.equals(file)).findFirst();
        return known.orElseGet(
                () -> new PageFile(file, content(file, names.get().names())));
    }

    private Optional<Bytes> content(Path file, List<String> names) {
        var found = tree.find(tree.root(), names).filter(Files::isRegularFile);
        if (found.isEmpty()) return unusable(file, "there is no such file in the folder");
        try (var in = Files.newInputStream(found.get())) {
            var bytes = in.readNBytes(MOST_BYTES + 1);
            return bytes.length <= MOST_BYTES
                    ? Optional.of(Bytes.of(bytes))
                    : unusable(file, "it has more than " + MOST_BYTES + " bytes");
        } catch (IOException e) {
            return unusable(file, Wording.of(e));
        }
    }

    private static Optional<Bytes> unusable(Path file, String why) {
        LOG.log(Level.WARNING, "the error page {0} is not used, and its errors stay plain: {1}", file, why);
        return Optional.empty();
    }

    /// Whether, as a filter, it also takes the place of bodies that the handler made: those of backends. By default
    /// only
    /// errors without a body of their own get a page.
    public ErrorPages interceptErrors(boolean isOn) {
        return new ErrorPages(tree, pages, isOn);
    }

    public boolean interceptErrors() {
        return isIntercepting;
    }

    /// The files of the pages, whether they are there or not.
    public List<Path> files() {
        return pages.values().stream().map(PageFile::file).distinct().sorted().toList();
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> isCall(request) ? next.handle(request) : EachResponse.of(next, request, this::shown);
    }

    /// A client of gRPC reads no pages.
    private static boolean isCall(Request request) {
        return request.method().equals(Grpc.METHOD) && Grpc.isCall(request.header("Content-Type"));
    }

    private Response shown(Response response) {
        var answer = BuiltResponse.from(response);
        if (!isIntercepting && !isWithoutBody(answer)) return answer;
        var page = of(answer.status());
        if (page.isEmpty()) return answer;
        answer.replaced();
        return paged(answer, page.get());
    }

    private static boolean isWithoutBody(BuiltResponse answer) {
        return answer.isPhrase()
                || (answer.content() instanceof Body.Whole whole
                        && whole.bytes().length() == 0);
    }

    @Override
    public Response of(Response error, Optional<Request> request, Optional<Throwable> cause) {
        var answer = BuiltResponse.from(error);
        return of(answer.status()).<Response>map(page -> paged(answer, page)).orElse(answer);
    }

    private Optional<PageFile> of(int status) {
        return Optional.ofNullable(pages.get(status)).filter(page -> page.content.isPresent());
    }

    private static Response paged(BuiltResponse answer, PageFile page) {
        var fields = Headers.builder();
        answer.headers().forEach((name, value) -> {
            if (!isOfContent(name.toLowerCase(Locale.ROOT))) fields.add(name, value);
        });
        fields.add("Content-Type", MediaTypes.of(String.valueOf(page.file.getFileName())));
        return answer.with(fields.build(), new Body.Whole(page.content.orElseThrow()));
    }

    private static boolean isOfContent(String name) {
        return name.startsWith("content-") || OF_CONTENT.contains(name);
    }

    private List<Object> values() {
        return List.of(tree, pages, isIntercepting);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof ErrorPages other && values().equals(other.values());
    }

    @Override
    public int hashCode() {
        return Objects.hash(tree, pages.keySet(), isIntercepting);
    }

    /// Without the contents.
    @Override
    public String toString() {
        return "ErrorPages[" + files() + (isIntercepting ? ", intercepting]" : "]");
    }
}
