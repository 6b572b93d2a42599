package io.millrace.acme;

import io.millrace.http.acme.AcmeSettings;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The files of certificates, which their owner alone may use. Each is replaced as a whole: whoever reads, or is
/// killed, at any moment, has the old one or the new one.
///
/// ```
///   lock                     held by the process that renews
///   account-3f9c5be2a11d.pem the key of the account; the number is that of the directory
///   www.example.com.pem      the directory, a key and its chain
/// ```
final class Storage {
    private static final String FROM = "Directory: ";

    /// By folder, as long as this process renews there. Guarded by this.
    private final Map<Path, FileChannel> locks = new HashMap<>();

    private boolean isClosed;

    /// Makes the folder if it is missing, and takes its lock.
    ///
    /// @return whether this process may renew there
    /// @throws IllegalArgumentException when others may use the folder
    synchronized boolean isOurs(AcmeSettings of) throws IOException {
        var folder = of.storage();
        if (!Files.exists(folder)) Files.createDirectory(folder, permissions(folder, "rwx------"));
        of.checkStorage();
        if (isClosed) return false;
        if (locks.containsKey(folder)) return true;
        var channel = lock(folder.resolve("lock"));
        if (channel == null) return false;
        locks.put(folder, channel);
        return true;
    }

    private static @Nullable FileChannel lock(Path file) throws IOException {
        var options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var channel = FileChannel.open(file, options, permissions(file, "rw-------"));
        try {
            if (channel.tryLock() != null) return channel;
        } catch (OverlappingFileLockException _) {
            // Another keeper of this process has it.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    private static FileAttribute<?>[] permissions(Path of, String mode) {
        boolean isPosix = of.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (!isPosix) return new FileAttribute<?>[0];
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))};
    }

    /// Gives all locks back, for good.
    synchronized void close() {
        isClosed = true;
        for (var channel : locks.values()) {
            try {
                channel.close();
            } catch (IOException _) {
                // The lock ends with the process.
            }
        }
        locks.clear();
    }

    /// The file of the account's key.
    static Path account(AcmeSettings of) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var hash = digest.digest(of.directory().toString().getBytes(StandardCharsets.UTF_8));
            return of.storage().resolve("account-" + HexFormat.of().formatHex(hash, 0, 6) + ".pem");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Keeps a certificate and its key.
    static void keep(AcmeSettings of, PrivateKey key, TlsIdentity identity) throws IOException {
        var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
        var pem = "-----BEGIN PRIVATE KEY-----\n" + lines + "\n-----END PRIVATE KEY-----\n";
        replace(of.file(), FROM + of.directory() + '\n' + pem + identity.toPem());
    }

    /// Whether the certificate that is there came from this directory.
    static boolean isFrom(URI directory, Path file) throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.limit(1).anyMatch((FROM + directory)::equals);
        }
    }

    /// Writes a file as a whole, and returns when it is on the disk.
    static void replace(Path file, String text) throws IOException {
        var next = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(next);
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = FileChannel.open(next, options, permissions(file, "rw-------"))) {
            var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) channel.write(bytes);
            channel.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        try (var folder = FileChannel.open(file.resolveSibling("."), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
