package io.millrace.lab.load;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A result as JSON, for programs: what was asked for, and what came of it.
public final class LoadJson {
    private LoadJson() {}

    /// Writes a file, or replaces it.
    public static void write(Path file, LoadSettings settings, LoadResult result) throws IOException {
        try (var to = new JsonFactory().createGenerator(Files.newBufferedWriter(file))) {
            to.useDefaultPrettyPrinter();
            to.writeStartObject();
            to.writeObjectFieldStart("settings");
            write(to, settings);
            to.writeEndObject();
            to.writeObjectFieldStart("result");
            write(to, result);
            to.writeEndObject();
            to.writeEndObject();
        }
    }

    private static void write(JsonGenerator to, LoadSettings settings) throws IOException {
        to.writeStringField("to", settings.to().toString());
        to.writeNumberField("connections", settings.connections());
        to.writeNumberField("depth", settings.depth());
        to.writeNumberField("sizeBytes", settings.sizeBytes());
        to.writeNumberField("messagesPerSecond", settings.messagesPerSecond());
        to.writeNumberField("warmUpSeconds", settings.warmUp().toMillis() / 1e3);
        to.writeBooleanField("verify", settings.isVerifying());
    }

    private static void write(JsonGenerator to, LoadResult result) throws IOException {
        to.writeNumberField("messages", result.messages());
        to.writeNumberField("seconds", result.seconds());
        to.writeNumberField("messagesPerSecond", result.messagesPerSecond());
        to.writeNumberField("megabytesPerSecond", result.megabytesPerSecond());
        to.writeNumberField("errors", result.errors());
        to.writeStringField("firstError", result.firstError());
        to.writeObjectFieldStart("latency");
        write(to, result.latency());
        to.writeEndObject();
        to.writeNumberField("ownCpuShare", result.ownCpuShare());
        to.writeStringField("invalidBecause", result.invalidBecause());
    }

    private static void write(JsonGenerator to, Latency latency) throws IOException {
        to.writeNumberField("averageMicros", latency.averageMicros());
        to.writeNumberField("p50Micros", latency.p50Micros());
        to.writeNumberField("p90Micros", latency.p90Micros());
        to.writeNumberField("p99Micros", latency.p99Micros());
        to.writeNumberField("p999Micros", latency.p999Micros());
        to.writeNumberField("maxMicros", latency.maxMicros());
    }
}
