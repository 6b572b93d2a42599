package io.millrace.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/// Private keys in files: PKCS#8, encrypted or not (RFC 5958), PKCS#1 (RFC 8017) and SEC1 (RFC 5915).
final class PrivateKeys {
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");
    private static final byte[] VERSION_0 = {Der.INTEGER, 1, 0};

    /// `rsaEncryption`, 1.2.840.113549.1.1.1, with its parameter.
    private static final byte[] RSA = Der.value(
            Der.SEQUENCE,
            Der.value(Der.OBJECT, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1}),
            Der.value(Der.NULL));

    /// `id-ecPublicKey`, 1.2.840.10045.2.1.
    static final byte[] EC = Der.value(Der.OBJECT, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1});

    private PrivateKeys() {}

    /// The only key among the blocks.
    ///
    /// @throws IllegalArgumentException when there is none, more than one, or one that cannot be used
    static PrivateKey of(List<Pem> blocks, Optional<char[]> password, String source) {
        var keys = blocks.stream()
                .filter(block -> block.label().endsWith("PRIVATE KEY"))
                .toList();
        if (keys.size() != 1)
            throw new IllegalArgumentException(source + ": " + keys.size() + " private keys: there must be one");
        var key = keys.getFirst();
        try {
            return ofPkcs8(pkcs8(key, blocks, password, source));
        } catch (IllegalArgumentException | GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException(
                    source + ": a " + key.label() + " that cannot be used: " + e.getMessage(), e);
        }
    }

    private static byte[] pkcs8(Pem key, List<Pem> beside, Optional<char[]> password, String source)
            throws GeneralSecurityException, IOException {
        return switch (key.label()) {
            case "PRIVATE KEY" -> key.bytes();
            case "RSA PRIVATE KEY" -> wrapped(RSA, key.bytes());
            case "EC PRIVATE KEY" -> wrapped(Der.value(Der.SEQUENCE, EC, curve(key, beside)), key.bytes());
            case "ENCRYPTED PRIVATE KEY" -> decrypted(key.bytes(), password, source);
            default ->
                throw new IllegalArgumentException("take PKCS#8 (\"openssl pkcs8 -topk8 -nodes\"), PKCS#1 or SEC1");
        };
    }

    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return Der.value(Der.SEQUENCE, VERSION_0, algorithm, Der.value(Der.OCTET_STRING, key));
    }

    /// The curve: in the key, or in a separate block in front of it.
    private static byte[] curve(Pem key, List<Pem> beside) {
        var inside = new Der.DerReader(key.bytes()).in(Der.SEQUENCE);
        inside.in(Der.INTEGER);
        inside.in(Der.OCTET_STRING);
        if (inside.is(Der.tag(0))) return inside.in(Der.tag(0)).whole(Der.OBJECT);
        return beside.stream()
                .filter(block -> block.label().equals("EC PARAMETERS"))
                .findFirst()
                .map(block -> new Der.DerReader(block.bytes()).whole(Der.OBJECT))
                .orElseThrow(() -> new IllegalArgumentException("it does not name its curve"));
    }

    private static byte[] decrypted(byte[] encrypted, Optional<char[]> password, String source)
            throws GeneralSecurityException, IOException {
        if (password.isEmpty()) throw new IllegalArgumentException("it is encrypted, and no password was given");
        var info = new EncryptedPrivateKeyInfo(encrypted);
        // The scheme's name (PBES2) does not tell the algorithms, its parameters do.
        var algorithm = info.getAlgParameters() == null
                ? info.getAlgName()
                : info.getAlgParameters().toString();
        var spec = new PBEKeySpec(password.get());
        try {
            var secret = SecretKeyFactory.getInstance(algorithm).generateSecret(spec);
            var cipher = Cipher.getInstance(algorithm);
            cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
            return info.getKeySpec(cipher).getEncoded();
        } catch (InvalidKeySpecException e) {
            throw new IllegalArgumentException("is that the password of " + source + "?", e);
        } finally {
            spec.clearPassword();
        }
    }

    private static PrivateKey ofPkcs8(byte[] encoded) throws GeneralSecurityException {
        for (var algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException _) {
                // a key of another algorithm
            }
        }
        throw new IllegalArgumentException("it is not a key of " + String.join(", ", ALGORITHMS));
    }
}
