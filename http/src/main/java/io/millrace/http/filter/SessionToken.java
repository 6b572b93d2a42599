package io.millrace.http.filter;

import io.millrace.bytes.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The contents of a session cookie, signed: nobody else can make or change one.
///
/// ```
///   base64url( 1 | id | created | used | count (name value)* | HMAC-SHA-256 over the cookie's name, 0, and all that )
/// ```
/// @param id unguessable
/// @param session its values are empty if a store keeps them
record SessionToken(String id, StoredSession session) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SIGNATURE = 32;
    private static final int VERSION = 1;

    /// A verified token.
    ///
    /// @param isNewest whether the key is the one that signs
    record Verified(SessionToken token, boolean isNewest) {}

    // Encoding.

    String signed(String cookie, Bytes key) {
        var payload = payload();
        var all = Arrays.copyOf(payload, payload.length + SIGNATURE);
        System.arraycopy(signature(cookie, payload, key), 0, all, payload.length, SIGNATURE);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    private byte[] payload() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(id);
            out.writeLong(session.created().toEpochMilli());
            out.writeLong(session.used().toEpochMilli());
            out.writeShort(session.values().size());
            for (var value : session.values().entrySet()) {
                out.writeUTF(value.getKey());
                out.writeUTF(value.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] signature(String cookie, byte[] payload, Bytes key) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key.toArray(), ALGORITHM));
            mac.update(cookie.getBytes(StandardCharsets.US_ASCII));
            mac.update((byte) 0);
            return mac.doFinal(payload);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
        }
    }

    // Decoding.

    /// The token that a peer sent, if one of the keys has signed it. Nothing of it is parsed before that is
    /// verified.
    static Optional<Verified> verified(String cookie, String value, List<Bytes> keys) {
        byte[] all;
        try {
            all = Base64.getUrlDecoder().decode(value);
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
        if (all.length <= SIGNATURE) return Optional.empty();
        var payload = Arrays.copyOf(all, all.length - SIGNATURE);
        var signature = Arrays.copyOfRange(all, payload.length, all.length);
        for (int i = 0; i < keys.size(); i++) {
            boolean isSigned = MessageDigest.isEqual(signature, signature(cookie, payload, keys.get(i)));
            if (isSigned) return read(payload, i == 0);
        }
        return Optional.empty();
    }

    private static Optional<Verified> read(byte[] payload, boolean isNewest) {
        try (var in = new DataInputStream(new ByteArrayInputStream(payload))) {
            if (in.readByte() != VERSION) return Optional.empty();
            var id = in.readUTF();
            var created = Instant.ofEpochMilli(in.readLong());
            var used = Instant.ofEpochMilli(in.readLong());
            Map<String, String> values = new LinkedHashMap<>();
            for (int left = in.readUnsignedShort(); left > 0; left--) values.put(in.readUTF(), in.readUTF());
            return Optional.of(new Verified(new SessionToken(id, new StoredSession(values, created, used)), isNewest));
        } catch (IOException _) {
            // A token of another version.
            return Optional.empty();
        }
    }
}
