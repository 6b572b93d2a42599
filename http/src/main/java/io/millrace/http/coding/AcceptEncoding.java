package io.millrace.http.coding;

import io.millrace.http.Headers;
import io.millrace.http.grammar.FieldValue;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The codings that a request accepts (RFC 9110 section 12.5.3): the one to use, if any, and whether it must
/// be used. A request without the field, and one that refuses everything, gets plain bodies.
///
/// @param coding the one to use
/// @param refusesPlain whether the body must not be sent plain
public record AcceptEncoding(Optional<Coding> coding, boolean refusesPlain) {
    private static final AcceptEncoding PLAIN = new AcceptEncoding(Optional.empty(), false);
    private static final int UNSAID = -1;

    public static AcceptEncoding of(Headers request) {
        return request.has("Accept-Encoding") ? Weights.of(request).wanted() : PLAIN;
    }

    /// The codings that a request accepts, the most wanted first; of those that it wants alike, the first of the list.
    public static List<FileCoding> among(List<FileCoding> offered, Headers request) {
        if (!request.has("Accept-Encoding")) return List.of();
        var weights = Weights.of(request);
        return offered.stream()
                .filter(coding -> weights.of(coding) > 0 && weights.of(coding) >= weights.identity)
                .sorted(Comparator.comparingInt(coding -> -weights.of(coding)))
                .toList();
    }

    /// In thousandths, as they were given.
    private static final class Weights {
        private int gzip = UNSAID;
        private int deflate = UNSAID;
        private int br = UNSAID;
        private int zstd = UNSAID;
        private int identity = UNSAID;
        private int others = UNSAID;

        static Weights of(Headers request) {
            var weights = new Weights();
            for (var line : request.all("Accept-Encoding"))
                for (var element : line.split(",", -1)) weights.add(element.strip());
            return weights;
        }

        /// A malformed element is ignored.
        void add(String element) {
            int semicolon = element.indexOf(';');
            var name = semicolon < 0 ? element : element.substring(0, semicolon).strip();
            int weight = semicolon < 0 ? FieldValue.MOST_WEIGHT : FieldValue.weight(element.substring(semicolon + 1));
            if (weight == UNSAID) return;
            switch (name.toLowerCase(Locale.ROOT)) {
                case "gzip", "x-gzip" -> gzip = weight;
                case "deflate" -> deflate = weight;
                case "br" -> br = weight;
                case "zstd" -> zstd = weight;
                case "identity" -> identity = weight;
                case "*" -> others = weight;
                default -> {}
            }
        }

        int of(FileCoding coding) {
            return switch (coding) {
                case BR -> orOthers(br);
                case ZSTD -> orOthers(zstd);
                case GZIP -> orOthers(gzip);
            };
        }

        private int orOthers(int weight) {
            return weight != UNSAID ? weight : others;
        }

        AcceptEncoding wanted() {
            int ofGzip = orOthers(gzip);
            int ofDeflate = orOthers(deflate);
            int best = Math.max(ofGzip, ofDeflate);
            boolean refusesPlain = identity == 0 || (identity == UNSAID && others == 0);
            // Plain bodies weigh as much as any coding, unless they are named; then they win if they weigh
            // more.
            if (best <= 0 || best < identity) return PLAIN;
            return new AcceptEncoding(Optional.of(ofGzip >= ofDeflate ? Coding.GZIP : Coding.DEFLATE), refusesPlain);
        }
    }
}
