package io.millrace.http.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;

/// A file and its attributes when it was opened. The owner closes the channel.
record OpenFile(FileChannel channel, BasicFileAttributes attributes) {
    private static final int MOST_TRIES = 3;

    /// Nothing if there is no readable regular file.
    ///
    /// The attributes are read before, because opening a pipe would wait for its writer, and after: if
    /// another file has taken its place meanwhile, attributes and bytes would belong to two files.
    ///
    /// @throws IOException if it exists and cannot be opened
    static Optional<OpenFile> at(Path path) throws IOException {
        for (int i = 0; i < MOST_TRIES; i++) {
            var before = attributes(path);
            if (before.isEmpty()) return Optional.empty();
            var channel = open(path);
            if (channel.isEmpty()) return Optional.empty();
            var behind = attributes(path);
            boolean isSame = behind.isPresent()
                    && Objects.equals(before.get().fileKey(), behind.get().fileKey());
            if (isSame) return Optional.of(new OpenFile(channel.get(), behind.get()));
            channel.get().close();
        }
        throw new FileSystemException(
                path.toString(),
                null,
                "another file took its place each of the " + MOST_TRIES + " times it was opened");
    }

    private static Optional<BasicFileAttributes> attributes(Path path) {
        try {
            return Optional.of(Files.readAttributes(path, BasicFileAttributes.class))
                    .filter(BasicFileAttributes::isRegularFile);
        } catch (IOException notThere) {
            return Optional.empty();
        }
    }

    /// A file that may not be read counts as missing. Other errors, above all a lack of descriptors, must
    /// not.
    private static Optional<FileChannel> open(Path path) throws IOException {
        try {
            return Optional.of(FileChannel.open(path, StandardOpenOption.READ));
        } catch (NoSuchFileException | AccessDeniedException notThere) {
            return Optional.empty();
        }
    }
}
