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
/// @param file what the file system knows the file by; null where it has no such thing
record UnixPath(Path path, @Nullable Object file) {
    /// What a listener has just created, or null when its address is no path.
    static @Nullable UnixPath boundTo(SocketAddress address) throws IOException {
        if (!(address instanceof UnixDomainSocketAddress unix)) return null;
        return new UnixPath(unix.getPath(), fileAt(unix.getPath()));
    }

    /// Removes the file, before the listener closes. Only our own: a newer server may have put its socket in the
    /// same place.
    void unlink() {
        try {
            if (Objects.equals(file, fileAt(path))) Files.deleteIfExists(path);
        } catch (IOException _) {
            // Gone already, or the directory is not ours any more; the next server will say what is in its way.
        }
    }

    private static @Nullable Object fileAt(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }
}
