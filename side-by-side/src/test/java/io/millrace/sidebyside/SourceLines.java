package io.millrace.sidebyside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Counts lines of Java and Go, without blank lines, comment lines, and those with `package` or `import`.
final class SourceLines {
    private SourceLines() {}

    static int of(Row row, Side side) throws IOException {
        int lines = 0;
        for (var file : row.sources(side)) lines += of(file);
        return lines;
    }

    private static int of(Path file) throws IOException {
        return of(Files.readAllLines(file));
    }

    static int of(List<String> text) {
        int lines = 0;
        var isImporting = false;
        for (var line : text) {
            var words = line.strip();
            if (words.equals("import (")) isImporting = true;
            if (!isImporting && counts(words)) lines++;
            if (words.equals(")")) isImporting = false;
        }
        return lines;
    }

    private static boolean counts(String line) {
        return !(line.isEmpty() || line.startsWith("//") || line.startsWith("package ") || line.startsWith("import "));
    }
}
