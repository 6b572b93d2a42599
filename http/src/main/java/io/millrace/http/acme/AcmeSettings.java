package io.millrace.http.acme;

import io.millrace.loop.Wording;
import io.millrace.net.CheckReturnValue;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A certificate that an authority issues over ACME (RFC 8555), and where it is kept.
///
/// ```java
/// var settings = AcmeSettings.of(Path.of("/var/lib/app/acme"), "example.com",
/// "www.example.com").contact("ops@example.com");
/// ```
/// Immutable: a property is set by its name, which returns a copy, and read by the same name. Any thread.
@CheckReturnValue
public final class AcmeSettings {
    /// The directory of Let's Encrypt.
    public static final URI STANDARD_DIRECTORY = URI.create("https://acme-v02.api.letsencrypt.org/directory");

    /// The most names of one certificate.
    public static final int MOST_NAMES = 100;

    private static final Pattern HOST =
            Pattern.compile("[a-z0-9_]([a-z0-9_-]*[a-z0-9])?" + "(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*");
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");
    private static final Set<PosixFilePermission> OF_OWNER = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    private final Path storage;
    private final List<String> names;
    private final Optional<String> contact;
    private final URI directory;
    private final Challenge challenge;
    private final List<X509Certificate> authorities;

    /// How the authority is shown that the names are served here.
    public enum Challenge {
        /// It reads a text over HTTP, from port 80 of each name (RFC 8555 section 8.3).
        HTTP_01,
        /// It makes a TLS handshake at port 443 of each name (RFC 8737).
        TLS_ALPN_01
    }

    private AcmeSettings(
            Path storage,
            List<String> names,
            Optional<String> contact,
            URI directory,
            Challenge challenge,
            List<X509Certificate> authorities) {
        this.storage = storage;
        this.names = names;
        this.contact = contact;
        this.directory = directory;
        this.challenge = challenge;
        this.authorities = authorities;
    }

    /// A certificate for these names, from Let's Encrypt with HTTP-01. Who uses it has agreed to the terms of the
    /// authority.
    ///
    /// @param storage a folder that its owner alone may read; it is made when it is missing. Certificates with
    ///     different first names may share one
    /// @param names 1 to 100 host names; the first one names the file
    /// @throws IllegalArgumentException for a name that cannot be proved, such as one with a star or an address
    public static AcmeSettings of(Path storage, String... names) {
        var small = List.of(names).stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
        if (small.isEmpty() || small.size() > MOST_NAMES)
            throw new IllegalArgumentException(
                    small.size() + " names for one certificate: take 1 to " + MOST_NAMES + ", or several certificates");
        small.forEach(AcmeSettings::checkName);
        return new AcmeSettings(
                storage.toAbsolutePath().normalize(),
                small,
                Optional.empty(),
                STANDARD_DIRECTORY,
                Challenge.HTTP_01,
                List.of());
    }

    private static void checkName(String name) {
        if (name.startsWith("*."))
            throw new IllegalArgumentException(
                    "\"" + name + "\" has a star, which neither http-01 nor tls-alpn-01 can prove: name each host");
        if (HOST.matcher(name).matches() && !NUMBERS.matcher(name).matches() && name.length() <= 253) return;
        throw new IllegalArgumentException('"' + name + "\" is not a host name: take one like \"www.example.com\"");
    }

    /// The folder of keys and certificates.
    public Path storage() {
        return storage;
    }

    /// In lower case, without duplicates.
    public List<String> names() {
        return names;
    }

    /// An address for mail about the account, which the authority may use or not.
    ///
    /// @throws IllegalArgumentException for a text without an `@`
    public AcmeSettings contact(String mail) {
        if (mail.indexOf('@') < 1 || mail.chars().anyMatch(c -> c <= ' '))
            throw new IllegalArgumentException('"' + mail + "\" is not a mail address: take one like ops@example.com");
        return new AcmeSettings(storage, names, Optional.of(mail), directory, challenge, authorities);
    }

    public Optional<String> contact() {
        return contact;
    }

    /// The authority's directory (RFC 8555 section 7.1.1); by default [#STANDARD_DIRECTORY].
    ///
    /// @throws IllegalArgumentException unless it begins with `https:` and has a host
    public AcmeSettings directory(URI uri) {
        if (!"https".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null)
            throw new IllegalArgumentException(uri + " is no directory of an authority: take an https: URI");
        return new AcmeSettings(storage, names, contact, uri, challenge, authorities);
    }

    public URI directory() {
        return directory;
    }

    /// By default [Challenge#HTTP_01].
    public AcmeSettings challenge(Challenge kind) {
        return new AcmeSettings(storage, names, contact, directory, kind, authorities);
    }

    public Challenge challenge() {
        return challenge;
    }

    /// Who may have issued the directory's own certificate; by default those that this JVM trusts.
    public AcmeSettings authorities(List<X509Certificate> trusted) {
        return new AcmeSettings(storage, names, contact, directory, challenge, List.copyOf(trusted));
    }

    public List<X509Certificate> authorities() {
        return authorities;
    }

    /// The file of the certificate and its key, which is replaced as a whole when there is a new one.
    public Path file() {
        return storage.resolve(names.getFirst() + ".pem");
    }

    /// The certificate that is there now; empty before there is one. Reads files.
    ///
    /// @throws IllegalArgumentException when others may read the storage, or the file cannot be used
    /// @throws UncheckedIOException when it cannot be read
    public Optional<TlsIdentity> identity() {
        checkStorage();
        var file = file();
        if (!Files.exists(file)) return Optional.empty();
        checkPrivate(file, "chmod 600 ");
        return Optional.of(TlsIdentity.pem(file, file));
    }

    /// Refuses a storage that others than its owner may use. It need not exist.
    ///
    /// @throws IllegalArgumentException with the remedy
    public void checkStorage() {
        if (!Files.exists(storage)) return;
        if (!Files.isDirectory(storage))
            throw new IllegalArgumentException(storage + " is no folder: name one for keys and certificates");
        checkPrivate(storage, "chmod 700 ");
    }

    private static void checkPrivate(Path path, String remedy) {
        try {
            if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) return;
            if (OF_OWNER.containsAll(Files.getPosixFilePermissions(path))) return;
            throw new IllegalArgumentException(
                    path + " may be used by others than its owner, and has private keys: " + remedy + path);
        } catch (IOException e) {
            throw new UncheckedIOException(Wording.of(e), e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AcmeSettings that
                && storage.equals(that.storage)
                && names.equals(that.names)
                && contact.equals(that.contact)
                && directory.equals(that.directory)
                && challenge == that.challenge
                && authorities.equals(that.authorities);
    }

    @Override
    public int hashCode() {
        return Objects.hash(storage, names, contact, directory, challenge, authorities);
    }

    @Override
    public String toString() {
        return String.join(", ", names);
    }
}
