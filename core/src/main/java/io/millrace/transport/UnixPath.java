package io.millrace.transport;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The file of a listening Unix socket, which the kernel leaves behind, unix(7).
///
/// @param file the file system's key of the file; null if it has none
record UnixPath(Path path, @Nullable Object file) {
    /// The file that a listener has just created, or null when its address is not a path.
    static @Nullable UnixPath boundTo(SocketAddress address) throws IOException {
        if (!(address instanceof UnixDomainSocketAddress unix)) return null;
        return new UnixPath(unix.getPath(), fileAt(unix.getPath()));
    }

    /// Removes the file, before the listener closes. Only our own: a newer server may have put its socket
    /// there.
    void unlink() {
        try {
            if (Objects.equals(file, fileAt(path))) Files.deleteIfExists(path);
        } catch (IOException _) {
            // Gone, or the directory is no longer ours; the next server will report what is in its way.
        }
    }

    private static @Nullable Object fileAt(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
