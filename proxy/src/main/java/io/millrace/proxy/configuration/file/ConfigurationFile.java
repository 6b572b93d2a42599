package io.millrace.proxy.configuration.file;

import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Problem;
import io.millrace.proxy.configuration.shape.FileReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Reads a proxy's configuration from YAML: all of it, or a list of everything that is wrong with it. Reading
/// looks at the file, the environment, and the files and folders that it names, and changes nothing.
public final class ConfigurationFile {
    static final int MOST_BYTES = 1 << 20;

    private static final String SCHEMA = "/io/millrace/proxy/millrace-proxy.schema.json";

    private ConfigurationFile() {}

    /// Reads a file. Names of files in it are relative to its folder.
    ///
    /// @param environment what `${NAME}` stands for
    public static CheckedFile read(Path file, Map<String, String> environment) {
        var name = file.toString();
        try {
            if (Files.size(file) > MOST_BYTES) return bad(name, "more than " + MOST_BYTES + " bytes: make it smaller");
            var text = utf8(Files.readAllBytes(file));
            var folder = file.toAbsolutePath().getParent();
            return parse(name, folder == null ? file.toAbsolutePath() : folder, text, environment);
        } catch (CharacterCodingException e) {
            return bad(name, "it is not UTF-8: save it as UTF-8");
        } catch (IOException e) {
            return bad(name, "it cannot be read (" + Wording.of(e) + "): name one that can be read");
        }
    }

    /// The JSON Schema of such files.
    public static String schema() {
        try (var schema = ConfigurationFile.class.getResourceAsStream(SCHEMA)) {
            return new String(Objects.requireNonNull(schema, SCHEMA).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String utf8(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    /// Reads a text.
    ///
    /// @param name of the file, for messages
    /// @param folder what names of files are relative to
    /// @param environment what `${NAME}` stands for
    public static CheckedFile parse(String name, Path folder, String text, Map<String, String> environment) {
        if (text.length() > MOST_BYTES) return bad(name, "more than " + MOST_BYTES + " characters: make it smaller");
        switch (Yaml.compose(name, text)) {
            case Yaml.Unreadable unreadable -> {
                return new CheckedFile.Bad(List.of(unreadable.why()));
            }
            case Yaml.Document document -> {
                var reading = new FileReading(name, folder, environment);
                var configuration = reading.read(ProxyKeys.SECTION, document.root());
                if (configuration != null) return new CheckedFile.Good(configuration);
                return new CheckedFile.Bad(reading.problems());
            }
        }
    }

    /// The text with today's names of keys, otherwise unchanged, comments included.
    ///
    /// @return the same text if no key was renamed, or if it is not YAML
    public static String converted(Path folder, String text, Map<String, String> environment) {
        var now = text;
        // The value of an old key is read only after the key has its new name.
        while (true) {
            if (!(Yaml.compose("", now) instanceof Yaml.Document document)) return text;
            var reading = new FileReading("", folder, environment);
            var _ = reading.read(ProxyKeys.SECTION, document.root());
            if (reading.renamed().isEmpty()) return now;
            now = renamed(now, reading.renamed());
        }
    }

    private static String renamed(String text, List<FileReading.Renamed> keys) {
        var now = new StringBuilder(text);
        // From the end, so that earlier positions stay valid.
        keys.stream()
                .distinct()
                .sorted(Comparator.comparingInt((FileReading.Renamed key) -> start(text, key))
                        .reversed())
                .forEach(key -> now.replace(start(text, key), end(text, key), key.now()));
        return now.toString();
    }

    private static int start(String text, FileReading.Renamed key) {
        return text.offsetByCodePoints(
                0, key.before().getStartMark().orElseThrow().getIndex());
    }

    private static int end(String text, FileReading.Renamed key) {
        return text.offsetByCodePoints(
                0, key.before().getEndMark().orElseThrow().getIndex());
    }

    private static CheckedFile bad(String file, String why) {
        return new CheckedFile.Bad(List.of(new Problem(file, 0, 0, "", why)));
    }

    /// The result of reading a configuration file.
    public sealed interface CheckedFile {
        /// One that can be used.
        record Good(Configuration configuration) implements CheckedFile {}

        /// One that cannot.
        ///
        /// @param problems all problems, in the order of the file; at least one
        record Bad(List<Problem> problems) implements CheckedFile {}
    }
}
