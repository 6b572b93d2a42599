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

    /// Serves the files below a directory. The directory may be a link, and may later lead elsewhere.
    ///
    /// @throws IllegalArgumentException when there is no such directory
    public static StaticFiles of(Path root) {
        if (Files.isDirectory(root)) return new StaticFiles(new FileTree(root.toAbsolutePath()), "", false);
        throw new IllegalArgumentException("'" + root + "' is not a directory: create it, or name another one");
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
        return new StaticFiles(tree, path.endsWith("/") ? path.substring(0, path.length() - 1) : path, isListing);
    }

    /// A copy that answers for a directory without `index.html` with sorted links to its entries; of more than
    /// 1000 entries, to the first 1000 from the file system. By default such a directory gets 404.
    public StaticFiles listing(boolean isOn) {
        return new StaticFiles(tree, prefix, isOn);
    }

    @Override
    public Response handle(Request request) {
        if (!FileResponse.isFor(request)) return FileResponse.notAllowed();
        if (!request.path().startsWith(prefix)) return Response.status(404);
        var names = PathNames.of(request.path().substring(prefix.length()));
        if (names.isEmpty()) return Response.status(404);
        // The lent request is no longer valid when a thread gets to it.
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
