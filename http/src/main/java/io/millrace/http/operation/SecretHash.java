package io.millrace.http.operation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A hash with a secret key: a client that chooses the texts cannot find two with the same hash. Any thread.
public final class SecretHash {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /// With a key of its own.
    public SecretHash() {
        var bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        this.key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /// With a key that others have, too.
    public SecretHash(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /// 32 bytes.
    public byte[] of(String text) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM + ", which every JDK has to have", e);
        }
    }

    /// The first 8 bytes.
    public long longOf(String text) {
        return ByteBuffer.wrap(of(text)).getLong();
    }
}
