package io.millrace.http.file;

import io.millrace.http.Request;
import io.millrace.http.coding.AcceptEncoding;
import io.millrace.http.coding.FileCoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Files that were compressed beforehand, beside the original: `a.css.gz` beside `a.css`. One that is older than the
/// original has the content of before, and is not served; nor is one without an original.
///
/// Its calls wait for the file system.
///
/// @param codings the preferred one first
public record CodedFiles(List<FileCoding> codings) {
    /// A file to serve.
    public record FileToServe(Path path, Representation as) {}

    /// The coded file that the request wants most, or else the original.
    ///
    /// @param from where the names begin
    /// @param names of the original; the last is the file's
    /// @param original the same, found
    public FileToServe of(FileTree tree, Path from, List<String> names, Path original, Request request) {
        var mediaType = MediaTypes.of(names.getLast());
        if (codings.isEmpty()) return new FileToServe(original, Representation.plain(mediaType));
        for (var coding : AcceptEncoding.among(codings, request.headers())) {
            var coded = tree.find(from, named(names, coding)).filter(file -> isUsable(file, original));
            if (coded.isPresent())
                return new FileToServe(coded.get(), new Representation(mediaType, Optional.of(coding), true));
        }
        return new FileToServe(original, new Representation(mediaType, Optional.empty(), true));
    }

    private static List<String> named(List<String> names, FileCoding coding) {
        var coded = new ArrayList<>(names);
        coded.add(coded.removeLast() + coding.suffix());
        return coded;
    }

    private static boolean isUsable(Path coded, Path original) {
        try {
            return Files.isRegularFile(coded)
                    && Files.isReadable(coded)
                    && Files.getLastModifiedTime(coded).compareTo(Files.getLastModifiedTime(original)) >= 0;
        } catch (IOException notThere) {
            return false;
        }
    }
}
