package io.millrace.http.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/// The files below a root, and no others: whatever names and links say, what is found is really there. A link may
/// lead from one place below the root to another, even to a hidden one; it is the word of whoever runs the
/// server. So is everything else there: who may change the tree while it is looked at may show any file that the
/// server can read.
///
/// Its calls wait for the file system.
///
/// @param root may be a link, and may lead elsewhere later
public record FileTree(Path root) {
    /// What is there; nothing if it is not there or elsewhere.
    ///
    /// @param from the root, or what was found
    /// @param names each of which is one name
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
