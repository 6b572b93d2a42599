package io.millrace.http.message;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The files below a root, and no others: whatever names and links say, what is found is really there. A link may
/// lead from one place below the root to another, even to a hidden one; it is the word of whoever runs the
/// server. So is everything else there: who may change the tree while it is looked at may show any file that the
/// server can read.
///
/// Its calls wait for the file system.
///
/// @param root without links
public record FileTree(Path root) {
    /// Those below a directory.
    ///
    /// @throws IOException when there is no such directory
    public static FileTree below(Path root) throws IOException {
        return new FileTree(root.toRealPath());
    }

    /// What is there, without links; nothing if it is not there or elsewhere.
    ///
    /// @param names each of which is one name
    public Optional<Path> find(Path from, List<String> names) {
        try {
            var path = from;
            for (var name : names) path = path.resolve(name);
            var real = path.toRealPath();
            return real.startsWith(root) ? Optional.of(real) : Optional.empty();
        } catch (IOException | InvalidPathException notThere) {
            return Optional.empty();
        }
    }
}
