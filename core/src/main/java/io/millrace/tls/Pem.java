package io.millrace.tls;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// Text encodings of certificates and keys (RFC 7468).
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END ([A-Z0-9 ]+)-----", Pattern.DOTALL);

    private final String label;
    private final byte[] bytes;

    private Pem(String label, byte[] bytes) {
        this.label = label;
        this.bytes = bytes;
    }

    /// Its label, such as `CERTIFICATE`.
    String label() {
        return label;
    }

    /// Its content, DER.
    byte[] bytes() {
        return bytes;
    }

    /// All blocks of a text, in order; text between them is ignored.
    ///
    /// @param source where the text comes from, for messages
    /// @throws IllegalArgumentException for a block that cannot be read
    static List<Pem> all(String text, String source) {
        var found = new ArrayList<Pem>();
        var block = BLOCK.matcher(text);
        int end = 0;
        for (; block.find(end); end = block.end()) {
            var label = block.group(1);
            if (block.group(2).contains("-----BEGIN ")) throw cut(source);
            if (!label.equals(block.group(3))) {
                throw new IllegalArgumentException(
                        source + ": \"BEGIN " + label + "\" is followed by \"END " + block.group(3) + '"');
            }
            found.add(new Pem(label, decoded(label, block.group(2), source)));
        }
        if (text.indexOf("-----BEGIN ", end) >= 0) throw cut(source);
        return found;
    }

    private static IllegalArgumentException cut(String source) {
        return new IllegalArgumentException(source + ": a \"BEGIN\" without its \"END\": is the file truncated?");
    }

    private static byte[] decoded(String label, String base64, String source) {
        if (base64.contains("Proc-Type:")) {
            throw new IllegalArgumentException(source + ": a " + label
                    + " in OpenSSL's old encrypted format; convert it with \"openssl pkcs8 -topk8\"");
        }
        try {
            return Base64.getMimeDecoder().decode(base64.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(source + ": a " + label + " that is not in base64", e);
        }
    }

    /// A block as text.
    static String text(String label, byte[] bytes) {
        var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }
}
