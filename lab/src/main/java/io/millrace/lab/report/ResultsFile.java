package io.millrace.lab.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// [Results] as a JSON file. Missing or unknown content in a file is an error: a figure that silently became 0
/// would be worse than none.
public final class ResultsFile {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private ResultsFile() {}

    /// Writes the file, with the folders above it.
    public static void write(Results results, Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, json(results));
    }

    /// Reads a file that [#write] made.
    ///
    /// @throws IOException when the file cannot be read or is not a result of the lab; the message says what to
    ///     do
    public static Results read(Path file) throws IOException {
        var text = Files.readString(file);
        try {
            return parse(text);
        } catch (IOException refused) {
            throw new IOException(file + ": " + refused.getMessage(), refused);
        }
    }

    static String json(Results results) throws IOException {
        return JSON.writeValueAsString(results) + "\n";
    }

    static Results parse(String text) throws IOException {
        try {
            var tree = JSON.readTree(text);
            checkFormat(tree);
            OlderFormats.modernize(tree);
            return JSON.treeToValue(tree, Results.class);
        } catch (JsonProcessingException unreadable) {
            throw new IOException(
                    "not a result of the lab (" + unreadable.getOriginalMessage()
                            + "): give a JSON file that `millrace lab` wrote",
                    unreadable);
        }
    }

    private static void checkFormat(JsonNode tree) throws IOException {
        var format = tree.path("format");
        if (!format.isInt()) {
            throw new IOException(
                    "not a result of the lab (no format number): give a JSON file that `millrace lab` wrote");
        }
        if (format.intValue() < 1 || format.intValue() > Results.FORMAT) {
            throw new IOException("format " + format.intValue() + " is unknown, this version reads formats 1 to "
                    + Results.FORMAT + ": read the file with the version that wrote it, or measure again");
        }
    }
}
