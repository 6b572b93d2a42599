package io.millrace.http.ws;

import io.millrace.http.grammar.FieldValue;
import io.millrace.http.grammar.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// An element of `Sec-WebSocket-Extensions` (RFC 6455 section 9.1): an extension that is offered, or accepted.
///
/// @param name in small letters
/// @param parameters by name in small letters; the value of one without a value is empty
/// @param repeats whether a parameter is there twice
record WsExtension(String name, Map<String, String> parameters, boolean repeats) {
    /// All elements, in their order.
    ///
    /// @throws Refusal if a line is malformed: then the handshake fails, not the extension
    static List<WsExtension> parse(List<String> lines) throws Refusal {
        var all = new ArrayList<WsExtension>();
        for (var line : lines) new Line(line).addTo(all);
        return all;
    }

    private static final class Line {
        private final String text;
        private int at;

        Line(String text) {
            this.text = text;
        }

        void addTo(List<WsExtension> all) throws Refusal {
            while (true) {
                while (skips(',')) at++;
                if (at == text.length()) return;
                all.add(element());
                if (!skips(',') && at < text.length()) throw malformed();
            }
        }

        private WsExtension element() throws Refusal {
            var name = token();
            var parameters = new LinkedHashMap<String, String>();
            boolean repeats = false;
            while (skips(';')) {
                at = FieldValue.skipBlanks(text, at + 1);
                var parameter = token();
                repeats |= parameters.put(parameter, skips('=') ? value() : "") != null;
            }
            return new WsExtension(name, parameters, repeats);
        }

        /// A token, in quotes or not: what is in quotes has to be one (section 9.1).
        private String value() throws Refusal {
            at = FieldValue.skipBlanks(text, at + 1);
            if (!skips('"')) return token();
            at++;
            var value = token();
            if (at == text.length() || text.charAt(at) != '"') throw malformed();
            at++;
            return value;
        }

        private String token() throws Refusal {
            int end = FieldValue.endOfToken(text, at);
            if (end == at) throw malformed();
            var token = text.substring(at, end).toLowerCase(Locale.ROOT);
            at = end;
            return token;
        }

        /// Whether this character is next, behind blanks, which are skipped.
        private boolean skips(char wanted) {
            at = FieldValue.skipBlanks(text, at);
            return at < text.length() && text.charAt(at) == wanted;
        }

        private Refusal malformed() {
            return new Refusal(400, "a malformed Sec-WebSocket-Extensions");
        }
    }
}
