package io.millrace.http;

import io.millrace.http.grammar.Escapes;
import io.millrace.http.grammar.FieldValue;
import java.nio.charset.CharacterCodingException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Parses a part's head (RFC 7578 section 4): two of the fields matter, the others only have to be well formed.
final class PartHeads {
    /// Encodings that leave content unchanged; the others are for mail.
    private static final List<String> IDENTITIES = List.of("7bit", "8bit", "binary");

    private PartHeads() {}

    /// @param bytes lines, the last of which is empty
    /// @throws HttpError with 400 for a malformed head, 413 for one with more lines than `mostFields`
    static PartHead parse(byte[] bytes, int mostFields) {
        var fields = fields(text(bytes), mostFields);
        var encoding = fields.getOrDefault("content-transfer-encoding", "binary");
        if (!IDENTITIES.contains(encoding.toLowerCase(Locale.ROOT))) {
            throw new HttpError(400, "a part with a Content-Transfer-Encoding, which is for mail");
        }
        var disposition = Optional.ofNullable(fields.get("content-disposition"))
                .flatMap(FieldValue::parse)
                .filter(value -> value.value().equals("form-data"))
                .orElseThrow(() -> new HttpError(400, "a part without Content-Disposition: form-data"));
        var name = disposition.parameter("name").orElseThrow(() -> new HttpError(400, "a part without a name"));
        return new PartHead(name, disposition.parameter("filename"), Optional.ofNullable(fields.get("content-type")));
    }

    private static String text(byte[] bytes) {
        try {
            return Escapes.utf8(bytes, 0, Math.max(0, bytes.length - 4));
        } catch (CharacterCodingException e) {
            throw new HttpError(400, "a part with a head that is not UTF-8");
        }
    }

    private static Map<String, String> fields(String text, int most) {
        var fields = new HashMap<String, String>();
        for (var line : text.split("\r\n", most + 1)) {
            if (fields.size() == most) throw new HttpError(413, "a part with more than " + most + " fields");
            int colon = line.indexOf(':');
            var name = colon < 0 ? "" : line.substring(0, colon).toLowerCase(Locale.ROOT);
            if (!FieldValue.isToken(name)) throw new HttpError(400, "a part with a field that has no name");
            var value = FieldValue.trimmed(line.substring(colon + 1));
            if (hasControls(value)) throw new HttpError(400, "a part with a control character in its head");
            if (fields.put(name, value) != null) throw new HttpError(400, "a part with a field that comes twice");
        }
        return fields;
    }

    /// Line ends are included.
    private static boolean hasControls(String value) {
        return value.chars().anyMatch(c -> (c < 0x20 && c != '\t') || c == 0x7f);
    }
}
