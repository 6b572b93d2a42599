package io.millrace.lab.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.lab.load.Exchange;
import java.util.regex.Pattern;

/// Files of format 1, from before the lab knew HTTP: all shapes were echoes one message deep, and failures were
/// counted in words only; nobody looked at first requests.
final class FirstFormat {
    private static final Pattern FAILURES = Pattern.compile("(\\d+) errors, the first: .*", Pattern.DOTALL);

    private FirstFormat() {}

    /// Adds what a file of format 1 has not, and leaves others alone.
    static void modernize(JsonNode results) {
        if (results.path("format").intValue() != 1 || !(results instanceof ObjectNode file)) return;
        file.put("format", Results.FORMAT);
        file.putArray("firstUse");
        for (var cell : results.path("cells")) {
            shape(cell.path("shape"));
            for (var round : cell.path("rounds")) failures(round);
        }
        for (var problem : results.path("problems")) shape(problem.path("shape"));
    }

    private static void shape(JsonNode node) {
        if (node instanceof ObjectNode shape)
            shape.put("exchange", Exchange.ECHO.name()).put("depth", 1);
    }

    private static void failures(JsonNode node) {
        if (!(node instanceof ObjectNode round)) return;
        var said = FAILURES.matcher(round.path("invalidBecause").asText());
        round.put("failures", said.matches() ? Long.parseLong(said.group(1)) : 0);
    }
}
