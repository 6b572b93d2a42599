package io.millrace.http.file;

import io.millrace.http.Response;
import io.millrace.http.grammar.Escapes;
import io.millrace.http.grammar.HtmlText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A page with links to the contents of a directory: to the regular files and directories that may be
/// requested, sorted by name.
public final class DirectoryPage {
    /// The most entries that are read, in the file system's order; the page says if there are more.
    public static final int MOST = 1000;

    private DirectoryPage() {}

    /// Waits for the file system. 404 if the directory cannot be read.
    ///
    /// @param prefix the path of the root, without a slash at its end
    /// @param names the names from the root to the directory
    public static Response of(FileTree tree, Path directory, String prefix, List<String> names) throws IOException {
        var links = new ArrayList<String>();
        boolean isWhole = true;
        int looked = 0;
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                isWhole = looked++ < MOST;
                if (!isWhole) break;
                link(tree, directory, entry).ifPresent(links::add);
            }
        } catch (NoSuchFileException | AccessDeniedException notThere) {
            return Response.status(404);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        links.sort(Comparator.naturalOrder());
        return Response.html(page(prefix, names, links, isWhole));
    }

    /// The name, with a slash after a directory's.
    private static Optional<String> link(FileTree tree, Path directory, Path entry) {
        var name = String.valueOf(entry.getFileName());
        if (!PathNames.mayBeAskedFor(name) || !isText(name, directory, entry)) return Optional.empty();
        var real = tree.find(directory, List.of(name));
        if (real.isEmpty()) return Optional.empty();
        if (Files.isDirectory(real.get())) return Optional.of(name + "/");
        return Files.isRegularFile(real.get()) ? Optional.of(name) : Optional.empty();
    }

    /// A name whose bytes are not text cannot be decoded and encoded again, so it cannot be requested.
    private static boolean isText(String name, Path directory, Path entry) {
        try {
            return directory.resolve(name).equals(entry);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static String page(String prefix, List<String> names, List<String> links, boolean isWhole) {
        var title = prefix + "/" + String.join("/", names) + (names.isEmpty() ? "" : "/");
        var page = new StringBuilder("<!doctype html>\n<meta charset=\"utf-8\">\n");
        page.append("<title>").append(HtmlText.of(title)).append("</title>\n");
        page.append("<h1>").append(HtmlText.of(title)).append("</h1>\n<ul>\n");
        if (!names.isEmpty()) page.append("<li><a href=\"../\">../</a>\n");
        for (var link : links) {
            page.append("<li><a href=\"").append(href(link)).append("\">");
            page.append(HtmlText.of(link)).append("</a>\n");
        }
        page.append("</ul>\n");
        if (!isWhole) page.append("<p>and more, which are not shown\n");
        return page.toString();
    }

    /// Escapes every byte that could have a meaning in a link, above all the colon of a scheme.
    private static String href(String link) {
        return Escapes.encoded(link, "/");
    }
}
