package io.millrace.http.filter;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/// A hash of a password: PBKDF2 with HMAC-SHA-256 (RFC 8018), written as `pbkdf2-sha256$ITERATIONS$SALT$HASH`
/// with salt and hash in Base64. Immutable.
///
/// Making and comparing it is slow on purpose, a tenth of a second and more: do neither on an event loop, nor for
/// any number of peers at a time.
public final class PasswordHash {
    /// The form of the text.
    public static final String FORM =
            "pbkdf2-sha256\\$[1-9][0-9]{4,7}\\$[A-Za-z0-9+/]{22,86}={0,2}\\$[A-Za-z0-9+/]{43}=";

    /// OWASP's recommendation at the time of writing.
    private static final int ITERATIONS = 600_000;

    private static final int SALT_BYTES = 16;
    private static final int HASH_BITS = 256;

    private final int iterations;
    private final byte[] salt;
    private final byte[] hash;

    private PasswordHash(int iterations, byte[] salt, byte[] hash) {
        this.iterations = iterations;
        this.salt = salt;
        this.hash = hash;
    }

    /// Parses a hash.
    ///
    /// @throws IllegalArgumentException with the error and the remedy
    public static PasswordHash parse(String text) {
        if (!Pattern.matches(FORM, text)) {
            throw new IllegalArgumentException(
                    "this is not a password hash: make one with millrace proxy --hash-password");
        }
        var parts = text.split("\\$", -1);
        var decoder = Base64.getDecoder();
        return new PasswordHash(Integer.parseInt(parts[1]), decoder.decode(parts[2]), decoder.decode(parts[3]));
    }

    /// Hashes a password, with a salt of its own.
    public static PasswordHash of(char[] password, SecureRandom random) {
        var salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return new PasswordHash(ITERATIONS, salt, derived(password, ITERATIONS, salt));
    }

    /// Whether this is the hashed password. Takes as long for a wrong one as for the right one.
    public boolean matches(char[] password) {
        return MessageDigest.isEqual(hash, derived(password, iterations, salt));
    }

    private static byte[] derived(char[] password, int iterations, byte[] salt) {
        var spec = new PBEKeySpec(password, salt, iterations, HASH_BITS);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no PBKDF2WithHmacSHA256: use one that has", e);
        } finally {
            spec.clearPassword();
        }
    }

    /// The hash as text.
    public String text() {
        var encoder = Base64.getEncoder();
        return "pbkdf2-sha256$" + iterations + "$" + encoder.encodeToString(salt) + "$" + encoder.encodeToString(hash);
    }

    /// Nothing that must not be in a log.
    @Override
    public String toString() {
        return "a hash of " + iterations + " iterations";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PasswordHash that && text().equals(that.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }
}
