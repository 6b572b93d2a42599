package io.millrace.lab.load;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SequencedMap;

/// A load's settings and result as JSON, for programs.
public final class LoadJson {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private LoadJson() {}

    /// Writes a file, or replaces it.
    public static void write(Path file, LoadSettings settings, LoadResult result) throws IOException {
        try (var to = JSON.createGenerator(Files.newBufferedWriter(file))) {
            to.useDefaultPrettyPrinter();
            stage(to, settings, result);
        }
    }

    /// Writes a file with the loads that followed each other, or replaces it.
    public static void write(Path file, SequencedMap<LoadSettings, LoadResult> stages) throws IOException {
        try (var to = JSON.createGenerator(Files.newBufferedWriter(file))) {
            to.useDefaultPrettyPrinter();
            to.writeStartObject();
            to.writeArrayFieldStart("stages");
            for (var each : stages.entrySet()) stage(to, each.getKey(), each.getValue());
            to.writeEndArray();
            to.writeEndObject();
        }
    }

    private static void stage(JsonGenerator to, LoadSettings settings, LoadResult result) throws IOException {
        to.writeStartObject();
        to.writeObjectFieldStart("settings");
        write(to, settings);
        to.writeEndObject();
        to.writeObjectFieldStart("result");
        write(to, result);
        to.writeEndObject();
        to.writeEndObject();
    }

    private static void write(JsonGenerator to, LoadSettings settings) throws IOException {
        to.writeStringField("to", settings.to().toString());
        to.writeNumberField("connections", settings.connections());
        to.writeNumberField("depth", settings.depth());
        switch (settings.content()) {
            case EchoMessages echo -> write(to, echo);
            case HttpMessages http -> write(to, http, "HTTP/1.1", http.request().length);
            case Http2Messages http2 -> write(to, http2.requests(), "HTTP/2", http2.requestBytes());
            case WsMessages ws -> write(to, ws.handshake(), ws.sizeBytes());
            case FanOutMessages all -> {
                write(to, all.handshake(), all.sizeBytes());
                to.writeNumberField("senders", all.senders());
            }
        }
        to.writeNumberField("messagesPerSecond", settings.messagesPerSecond());
        to.writeNumberField("warmUpSeconds", settings.warmUp().toMillis() / 1e3);
    }

    private static void write(JsonGenerator to, EchoMessages echo) throws IOException {
        to.writeNumberField("sizeBytes", echo.sizeBytes());
        to.writeBooleanField("verify", echo.isVerifying());
    }

    private static void write(JsonGenerator to, HttpMessages http, String version, int requestBytes)
            throws IOException {
        to.writeStringField("version", version);
        to.writeStringField("method", http.method());
        to.writeStringField("target", http.target());
        to.writeNumberField("requestBytes", requestBytes);
        to.writeStringField("status", http.statusInWords());
        to.writeStringField("length", http.lengthInWords());
        to.writeBooleanField("close", http.isClosing());
    }

    private static void write(JsonGenerator to, WsHandshake handshake, int sizeBytes) throws IOException {
        to.writeStringField("version", handshake.isHttp2() ? "HTTP/2" : "HTTP/1.1");
        to.writeStringField("target", handshake.target());
        to.writeNumberField("sizeBytes", sizeBytes);
    }

    private static void write(JsonGenerator to, LoadResult result) throws IOException {
        to.writeNumberField("messages", result.messages());
        to.writeNumberField("seconds", result.seconds());
        to.writeNumberField("messagesPerSecond", result.messagesPerSecond());
        to.writeNumberField("megabytesPerSecond", result.megabytesPerSecond());
        to.writePOJOField("statuses", result.statuses());
        to.writeNumberField("errors", result.errors());
        to.writeStringField("firstError", result.firstError());
        to.writePOJOField("latency", result.latency());
        to.writeNumberField("ownCpuShare", result.ownCpuShare());
        to.writeStringField("invalidBecause", result.invalidBecause());
    }
}
