package io.millrace.http.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/// The files below a root, and no others: whatever names and links say, a file that is found really lies
/// there. A link may lead from one place below the root to another, even to a hidden one; it is the
/// operator's word. Everything else is, too: a user who can change the tree while it is searched can expose
/// any file that the server can read.
///
/// Its calls wait for the file system.
///
/// @param root may be a link, and may lead elsewhere later
public record FileTree(Path root) {
    /// The file or directory with these names; nothing if there is none, or it lies elsewhere.
    ///
    /// @param from the root, or an earlier result
    /// @param names one name each
    public Optional<Path> find(Path from, List<String> names) {
        try {
            var path = from;
            boolean hasLinks = false;
            for (var name : names) {
                path = path.resolve(name);
                hasLinks |= isLink(path);
            }
            // Without links, it is where its names say.
            if (!hasLinks) return Optional.of(path);
            var real = path.toRealPath();
            return real.startsWith(root.toRealPath()) ? Optional.of(real) : Optional.empty();
        } catch (IOException | InvalidPathException notThere) {
            return Optional.empty();
        }
    }

    private static boolean isLink(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isSymbolicLink();
    }
}
