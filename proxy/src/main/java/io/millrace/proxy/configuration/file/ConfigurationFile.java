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
import java.util.stream.Stream;

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
        try {
            var folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
            return parse(file.toString(), folder, text(file), environment);
        } catch (IOException e) {
            return bad(file.toString(), refusal(e));
        }
    }

    /// What a file has.
    static String text(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) throw new TooLarge();
        return utf8(Files.readAllBytes(file));
    }

    private static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1;
    }

    /// Why a file could not be read, and the remedy.
    static String refusal(IOException e) {
        return switch (e) {
            case TooLarge _ -> "more than " + MOST_BYTES + " bytes: make it smaller";
            case CharacterCodingException _ -> "it is not UTF-8: save it as UTF-8";
            default -> "it cannot be read (" + Wording.of(e) + "): name one that can be read";
        };
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
                return new CheckedFile.Bad(List.of(unreadable.why()), List.of());
            }
            case Yaml.Document document -> {
                var reading = new FileReading(name, folder, environment);
                var joined = Includes.joined(reading, Path.of(name), folder, document.root());
                var configuration = reading.read(ProxyKeys.SECTION, joined.document());
                if (configuration != null) return new CheckedFile.Good(configuration, joined.files());
                return new CheckedFile.Bad(reading.problems(), joined.files());
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
                .forEach(key -> now.replace(start(text, key), end(text, key), quoted(text, key)));
        return now.toString();
    }

    /// Quotes stay: in JSON a value may stand right behind them.
    private static String quoted(String text, FileReading.Renamed key) {
        char last = text.charAt(end(text, key) - 1);
        return last == '"' || last == '\'' ? last + key.now() + last : key.now();
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
        return new CheckedFile.Bad(List.of(new Problem(file, 0, 0, "", why)), List.of());
    }

    /// The result of reading a configuration file.
    public sealed interface CheckedFile {
        /// Other files that were read with it, and patterns that more may fit: when one of them changes, it is to be
        /// read again.
        List<Path> files();

        /// One that can be used.
        ///
        /// @param included the files that it includes
        record Good(Configuration configuration, List<Path> included) implements CheckedFile {
            @Override
            public List<Path> files() {
                return Stream.concat(included.stream(), configuration.files().stream())
                        .toList();
            }
        }

        /// One that cannot.
        ///
        /// @param problems all that were found, in the order of the file; one at least
        record Bad(List<Problem> problems, List<Path> files) implements CheckedFile {}
    }
}
