package io.millrace.http.server;

import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Routes;
import io.millrace.http.file.DirectoryPage;
import io.millrace.http.file.FileResponse;
import io.millrace.http.file.FileThreads;
import io.millrace.http.file.FileTree;
import io.millrace.http.file.MediaTypes;
import io.millrace.http.file.PathNames;
import io.millrace.http.grammar.Target;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltRequest;
import io.millrace.http.message.BuiltResponse;
import io.millrace.memory.Reserve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Answers with the files below a directory, as [Response#file] does with one. Immutable; any thread may call it,
/// and it returns at once: the file system is waited for elsewhere, for at most 16 requests at a time in the
/// whole JVM. 4096 more wait for that; then 503.
///
/// ```java
/// var assets = StaticFiles.of(Path.of("assets")).under("/assets");
/// HttpHandler app = request -> request.path().startsWith("/assets/") ? assets.handle(request) : Response.status(404);
/// ```
/// Only regular files are shown, and nothing that is really outside the directory, whatever links say. What
/// begins with a dot is hidden, but for `.well-known`; 404 for all of these. A directory is its `index.html`;
/// asked for without its slash, 301 to where it has one. Whoever may change the directory is trusted: links are
/// looked at just before a file is opened.
public final class StaticFiles implements HttpHandler {
    private static final String INDEX = "index.html";

    private final FileTree tree;
    private final String prefix;
    private final boolean isListing;

    private StaticFiles(FileTree tree, String prefix, boolean isListing) {
        this.tree = tree;
        this.prefix = prefix;
        this.isListing = isListing;
    }

    /// Those below a directory. It may be a link, and may later lead elsewhere.
    ///
    /// @throws IllegalArgumentException when there is no such directory
    public static StaticFiles of(Path root) {
        if (Files.isDirectory(root)) return new StaticFiles(new FileTree(root.toAbsolutePath()), "", false);
        throw new IllegalArgumentException("'" + root + "' is no directory: make it, or give another one");
    }

    /// A copy for paths that begin with a prefix, which names no directory: `/assets` has `/assets/a.css` mean
    /// `a.css`. Other paths get 404.
    ///
    /// @throws IllegalArgumentException for a prefix that is no path
    public StaticFiles under(String prefix) {
        var target = Target.parse(prefix);
        var path = target.path();
        if (!path.startsWith("/") || !target.authority().isEmpty() || prefix.indexOf('?') >= 0) {
            throw new IllegalArgumentException("'" + prefix + "' is no prefix of a path: take one like /assets");
        }
        return new StaticFiles(tree, path.endsWith("/") ? path.substring(0, path.length() - 1) : path, isListing);
    }

    /// A copy that answers for a directory without `index.html` with links to what is in it, sorted; of more than
    /// 1000 entries, to those that the file system gives first. Or with 404, as it does unless told otherwise.
    public StaticFiles listing(boolean isOn) {
        return new StaticFiles(tree, prefix, isOn);
    }

    @Override
    public Response handle(Request request) {
        if (!FileResponse.isFor(request)) return FileResponse.notAllowed();
        if (!request.path().startsWith(prefix)) return Response.status(404);
        var names = PathNames.of(request.path().substring(prefix.length()));
        if (names.isEmpty()) return Response.status(404);
        // What was lent is not there any more when a thread comes to it.
        var kept = BuiltRequest.withoutBody(request);
        var mount = Routes.mountedAt(request);
        var memory = FileResponse.memoryFor(request);
        return Response.later(FileThreads.call(() -> answer(names.get(), kept, mount, memory)));
    }

    private Response answer(PathNames asked, Request request, String mount, Optional<Reserve> memory)
            throws IOException {
        var found = tree.find(tree.root(), asked.names());
        if (found.isEmpty()) return Response.status(404);
        if (Files.isDirectory(found.get())) return directory(found.get(), asked, request, mount, memory);
        if (asked.isDirectory()) return Response.status(404);
        return FileResponse.of(found.get(), MediaTypes.of(asked.last()), request, memory);
    }

    private Response directory(Path directory, PathNames asked, Request request, String mount, Optional<Reserve> memory)
            throws IOException {
        var index = tree.find(directory, List.of(INDEX)).filter(Files::isRegularFile);
        if (index.isEmpty() && !isListing) return Response.status(404);
        if (!asked.isDirectory()) return moved(request, mount);
        if (index.isEmpty()) return DirectoryPage.of(tree, directory, mount + prefix, asked.names());
        return FileResponse.of(index.get(), MediaTypes.of(INDEX), request, memory);
    }

    /// The path has gone through [PathNames], so it does not begin with two slashes, which would name another
    /// host.
    private static Response moved(Request request, String mount) {
        var query = request.query().isEmpty() ? "" : "?" + request.query();
        return BuiltResponse.of(301, Body.Whole.NONE).setHeader("Location", mount + request.path() + "/" + query);
    }
}
