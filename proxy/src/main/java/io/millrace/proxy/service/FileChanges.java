package io.millrace.proxy.service;

import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.file.Includes;
import io.millrace.proxy.upstream.Settled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// Whether a configuration file, or one that was read with it, has changed, found by polling. A change
/// counts if the next poll finds the same: a file that is being written or replaced is not used yet. Files
/// are compared by content, so that a touched file has not changed. One thread at a time.
public final class FileChanges {
    /// A larger file is not a configuration.
    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private List<Path> others = List.of();

    /// The digests of the contents that were read.
    private String ofFile = "";

    private String ofOthers = "";
    private final Settled settled = new Settled();

    public FileChanges(Path file) {
        this.file = file;
        taken();
    }

    /// Notes the file's content, which is about to be read.
    public void taken() {
        ofFile = look(file);
        ofOthers = lookAtOthers();
        settled.take(ofFile + ofOthers);
    }

    /// Notes the files that were just read with it, and polls them from now on.
    ///
    /// @param files with a `*` in the name for all that fit it: which there are counts, and not what they have
    /// @return whether there are others than before: then they are to be read once more, because they may have
    ///     changed in between
    public boolean with(List<Path> files) {
        if (files.equals(others)) return false;
        others = List.copyOf(files);
        ofOthers = lookAtOthers();
        settled.take(ofFile + ofOthers);
        return true;
    }

    /// Those that were named last.
    public List<Path> others() {
        return others;
    }

    /// Looks once more.
    public boolean isChanged() {
        return settled.isNew(look(file) + lookAtOthers());
    }

    private String lookAtOthers() {
        var all = new StringBuilder();
        for (var other : others) all.append('\n').append(look(other));
        return all.toString();
    }

    /// What it has, and not the text itself: keys are among them. Of a pattern, which files there are.
    private static String look(Path file) {
        if (Includes.isPattern(file) && !Files.exists(file)) return names(file);
        try (var in = Files.newInputStream(file)) {
            var digest = MessageDigest.getInstance("SHA-256").digest(in.readNBytes(MOST_BYTES + 1));
            return HexFormat.of().formatHex(digest);
        } catch (IOException e) {
            return Wording.of(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String names(Path pattern) {
        try {
            return Includes.matching(pattern).toString();
        } catch (IOException e) {
            return Wording.of(e);
        }
    }
}
