package io.millrace.lab.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.lab.load.Exchange;
import java.util.regex.Pattern;

/// Reads files of older formats. Format 1 is from before the lab measured HTTP: all shapes were echoes one
/// message deep, failures were counted only in text, and first requests were not measured. Format 2 is from
/// before it measured proxies: there was no backend, and neither bytes nor switches were kept per second. Format 3
/// is from before it kept the 75th and 95th percentile. Format 4 is from before it held connections without a message.
final class OlderFormats {
    private static final Pattern FAILURES = Pattern.compile("(\\d+) errors, the first: .*", Pattern.DOTALL);

    private OlderFormats() {}

    /// Adds what an older file lacks, and leaves others alone.
    static void modernize(JsonNode results) {
        if (!(results instanceof ObjectNode file)) return;
        int format = results.path("format").intValue();
        if (format == 1) addWhatFormat1Lacks(file);
        if (format <= 2) addWhatFormat2Lacks(file);
        if (format <= 3) addWhatFormat3Lacks(file);
        if (format <= 4) addWhatFormat4Lacks(file);
        file.put("format", Results.FORMAT);
    }

    private static void addWhatFormat1Lacks(ObjectNode results) {
        results.putArray("firstUse");
        for (var cell : results.path("cells")) {
            shape(cell.path("shape"));
            for (var round : cell.path("rounds")) failures(round);
        }
        for (var problem : results.path("problems")) shape(problem.path("shape"));
    }

    private static void addWhatFormat2Lacks(ObjectNode results) {
        if (results.path("method") instanceof ObjectNode method) method.put("backend", "");
        for (var node : results.findValues("overTime")) {
            for (var second : node) {
                if (second instanceof ObjectNode moment)
                    moment.put("megabytesPerSecond", Double.NaN).put("serverSwitchesPerSecond", Double.NaN);
            }
        }
    }

    private static void addWhatFormat3Lacks(ObjectNode results) {
        for (var node : results.findValues("latency")) {
            if (node instanceof ObjectNode latency && !latency.has("p75Micros"))
                latency.put("p75Micros", Double.NaN).put("p95Micros", Double.NaN);
        }
    }

    private static void addWhatFormat4Lacks(ObjectNode results) {
        for (var node : results.path("idle")) {
            if (node instanceof ObjectNode idle) idle.put("messages", 1);
        }
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
