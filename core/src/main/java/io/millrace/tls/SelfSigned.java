package io.millrace.tls;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/// A self-signed certificate (RFC 5280), which the JDK can make only with `keytool`.
final class SelfSigned {
    private static final Duration LIFE = Duration.ofDays(30);

    /// For machines whose clocks differ.
    private static final Duration EARLIER = Duration.ofDays(1);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /// `ecdsa-with-SHA256`, 1.2.840.10045.4.3.2.
    private static final byte[] SIGNATURE = Der.value(
            Der.SEQUENCE, Der.value(Der.OBJECT, new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2}));

    /// `id-at-commonName`, 2.5.4.3.
    private static final byte[] COMMON_NAME = Der.value(Der.OBJECT, new byte[] {0x55, 4, 3});

    /// `id-ce-subjectAltName`, 2.5.29.17.
    private static final byte[] ALTERNATIVE_NAMES = Der.value(Der.OBJECT, new byte[] {0x55, 0x1d, 17});

    private static final byte[] VERSION_3 = Der.value(Der.tag(0), new byte[] {Der.INTEGER, 1, 2});
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;

    private SelfSigned() {}

    static TlsIdentity identity(List<String> names) {
        return identity(names, Instant.now().plus(LIFE));
    }

    static TlsIdentity identity(List<String> names, Instant until) {
        if (names.isEmpty()) throw new IllegalArgumentException("a certificate without a host name: name one");
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            var pair = generator.generateKeyPair();
            var certificate = TlsIdentity.certificate(certificate(pair, names, until), "the self-signed certificate");
            return TlsIdentity.of(pair.getPrivate(), List.of(certificate));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot make a key for ECDSA", e);
        }
    }

    private static byte[] certificate(KeyPair pair, List<String> names, Instant until) throws GeneralSecurityException {
        var toSign = toSign(pair, names, until);
        var signing = Signature.getInstance("SHA256withECDSA");
        signing.initSign(pair.getPrivate());
        signing.update(toSign);
        return Der.value(Der.SEQUENCE, toSign, SIGNATURE, bits(signing.sign()));
    }

    private static byte[] bits(byte[] whole) {
        return Der.value(Der.BIT_STRING, new byte[] {0}, whole);
    }

    private static byte[] toSign(KeyPair pair, List<String> names, Instant until) {
        var name = Der.value(
                Der.SEQUENCE,
                Der.value(Der.SET, Der.value(Der.SEQUENCE, COMMON_NAME, text(Der.UTF8_STRING, names.getFirst()))));
        var life = Der.value(Der.SEQUENCE, time(Instant.now().minus(EARLIER)), time(until));
        return Der.value(
                Der.SEQUENCE,
                VERSION_3,
                serial(),
                SIGNATURE,
                name,
                life,
                name,
                pair.getPublic().getEncoded(),
                Der.value(Der.tag(3), Der.value(Der.SEQUENCE, alternativeNames(names))));
    }

    private static byte[] serial() {
        var random = new byte[16];
        new SecureRandom().nextBytes(random);
        // Positive, and with no zero in front.
        random[0] = (byte) ((random[0] & 0x7f) | 0x40);
        return Der.value(Der.INTEGER, random);
    }

    private static byte[] time(Instant at) {
        return text(Der.GENERALIZED_TIME, TIME.format(at));
    }

    private static byte[] alternativeNames(List<String> names) {
        var all = new ArrayList<byte[]>();
        for (var name : names) {
            var address = address(name);
            all.add(address.length > 0 ? Der.value(IP_ADDRESS, address) : text(DNS_NAME, name));
        }
        var sequence = Der.value(Der.SEQUENCE, all.toArray(byte[][]::new));
        return Der.value(Der.SEQUENCE, ALTERNATIVE_NAMES, Der.value(Der.OCTET_STRING, sequence));
    }

    /// Empty for a name.
    private static byte[] address(String name) {
        try {
            return InetAddress.ofLiteral(name).getAddress();
        } catch (IllegalArgumentException _) {
            return new byte[0];
        }
    }

    private static byte[] text(int tag, String text) {
        return Der.value(tag, text.getBytes(StandardCharsets.UTF_8));
    }
}
