package io.millrace.proxy.configuration.file;

import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Configuration files, good and bad.
final class Corpus {
    static final Path ROOT = Path.of(System.getProperty("basedir", "."), "src", "test", "resources", "configuration");

    /// What names of files in them are relative to.
    static final Path FOLDER = ROOT.resolve("files").toAbsolutePath();

    static final Map<String, String> ENVIRONMENT =
            Map.of("ADMIN_TOKEN", "0123456789abcdef", "VALUE", "a value", "SHORT", "hidden");

    private Corpus() {}

    /// The files of a folder, like `bad/keys.yaml`.
    static List<String> files(String folder) {
        try (var files = Files.list(ROOT.resolve(folder))) {
            return files.map(file -> folder + "/" + file.getFileName())
                    .filter(name -> name.endsWith(".yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static CheckedFile check(String text) {
        return ConfigurationFile.parse("proxy.yaml", FOLDER, text, ENVIRONMENT);
    }

    /// The problems of a text, one on each line, without the folder of this machine.
    static String problems(String text) {
        if (!(check(text) instanceof CheckedFile.Bad bad)) return "";
        var lines = new StringBuilder();
        for (var problem : bad.problems()) lines.append(problem).append('\n');
        return lines.toString().replace(FOLDER.toString(), "FOLDER");
    }
}
