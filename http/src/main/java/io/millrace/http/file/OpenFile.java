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

/// A file and what it was when it was opened. Whoever has it closes the channel.
record OpenFile(FileChannel channel, BasicFileAttributes attributes) {
    private static final int MOST_TRIES = 3;

    /// Nothing when there is no regular file there that may be read.
    ///
    /// It is looked at before, because opening a pipe would wait for somebody to write to it, and behind: if
    /// another one has taken its place meanwhile, attributes and bytes would be those of two files.
    ///
    /// @throws IOException when it could not be opened though it is there
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

    /// What may not be read is not there. Anything else, above all a lack of descriptors, must not look like
    /// that.
    private static Optional<FileChannel> open(Path path) throws IOException {
        try {
            return Optional.of(FileChannel.open(path, StandardOpenOption.READ));
        } catch (NoSuchFileException | AccessDeniedException notThere) {
            return Optional.empty();
        }
    }
}
