package io.millrace.http.file;

import io.millrace.http.Response;
import io.millrace.http.grammar.Escapes;
import io.millrace.http.grammar.HtmlText;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A page with links to the contents of a directory: to the regular files and directories that may be
/// requested, sorted by name, with the sizes of files in bytes and the times of their last changes in UTC.
public final class DirectoryPage {
    /// The most entries that are read, in the file system's order; the page says if there are more.
    public static final int MOST = 1000;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// A file or directory.
    ///
    /// @param name with a slash after a directory's
    private record Entry(String name, BasicFileAttributes attributes) {
        String size() {
            return attributes.isDirectory() ? "" : String.format(Locale.ROOT, "%,d", attributes.size());
        }

        String time() {
            return TIME.format(attributes.lastModifiedTime().toInstant());
        }
    }

    private DirectoryPage() {}

    /// Waits for the file system. 404 if the directory cannot be read.
    ///
    /// @param prefix the path of the root, without a slash at its end
    /// @param names the names from the root to the directory
    public static Response of(FileTree tree, Path directory, String prefix, List<String> names) throws IOException {
        var links = new ArrayList<Entry>();
        boolean isWhole = true;
        int looked = 0;
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                isWhole = looked++ < MOST;
                if (!isWhole) break;
                entry(tree, directory, entry).ifPresent(links::add);
            }
        } catch (NoSuchFileException | AccessDeniedException notThere) {
            return Response.status(404);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        links.sort(Comparator.comparing(Entry::name));
        return Response.html(page(decoded(prefix), names, links, isWhole));
    }

    private static Optional<Entry> entry(FileTree tree, Path directory, Path entry) {
        var name = String.valueOf(entry.getFileName());
        if (!PathNames.mayBeAskedFor(name) || !isText(name, directory, entry)) return Optional.empty();
        var real = tree.find(directory, List.of(name));
        if (real.isEmpty()) return Optional.empty();
        try {
            var attributes = Files.readAttributes(real.get(), BasicFileAttributes.class);
            if (attributes.isDirectory()) return Optional.of(new Entry(name + "/", attributes));
            return attributes.isRegularFile() ? Optional.of(new Entry(name, attributes)) : Optional.empty();
        } catch (IOException notThere) {
            return Optional.empty();
        }
    }

    /// A name whose bytes are not text cannot be decoded and encoded again, so it cannot be requested.
    private static boolean isText(String name, Path directory, Path entry) {
        try {
            return directory.resolve(name).equals(entry);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /// As the names are; a path that is not UTF-8 stays as it is.
    private static String decoded(String prefix) {
        try {
            return Escapes.decoded(prefix);
        } catch (CharacterCodingException e) {
            return prefix;
        }
    }

    private static String page(String prefix, List<String> names, List<Entry> links, boolean isWhole) {
        var title = prefix + "/" + String.join("/", names) + (names.isEmpty() ? "" : "/");
        var page = new StringBuilder("<!doctype html>\n<meta charset=\"utf-8\">\n");
        page.append("<title>").append(HtmlText.of(title)).append("</title>\n");
        page.append("<h1>").append(HtmlText.of(title)).append("</h1>\n<table>\n");
        page.append("<tr><th align=\"left\">name<th align=\"right\">bytes<th align=\"left\">changed (UTC)\n");
        if (!names.isEmpty()) page.append("<tr><td><a href=\"../\">../</a><td><td>\n");
        for (var link : links) {
            page.append("<tr><td><a href=\"").append(href(link.name)).append("\">");
            page.append(HtmlText.of(link.name))
                    .append("</a><td align=\"right\">")
                    .append(link.size());
            page.append("<td>").append(link.time()).append('\n');
        }
        page.append("</table>\n");
        if (!isWhole) page.append("<p>and more, which are not shown\n");
        return page.toString();
    }

    /// Escapes every byte that could have a meaning in a link, above all the colon of a scheme.
    private static String href(String link) {
        return Escapes.encoded(link, "/");
    }
}
