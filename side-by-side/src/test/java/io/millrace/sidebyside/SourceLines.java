package io.millrace.sidebyside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Counts the lines of Java and Go that somebody had to think of: all but those that are blank, that are nothing but a
/// comment, and that say a package or imports.
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
