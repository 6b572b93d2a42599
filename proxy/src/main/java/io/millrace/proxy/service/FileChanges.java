package io.millrace.proxy.service;

import io.millrace.loop.Wording;
import io.millrace.proxy.operation.Settled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Whether a configuration file has changed, for whoever looks once in a while. A change counts when the next look
/// finds the same: a file that is being written, or is gone for a moment while another one takes its place, is not
/// a configuration yet. Files are compared as a whole, so that one that was only touched has not changed. One
/// thread at a time.
public final class FileChanges {
    /// More than that is no configuration, whatever it says.
    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private final Settled settled = new Settled();

    public FileChanges(Path file) {
        this.file = file;
        taken();
    }

    /// What the file has at this moment is what is about to be read.
    public void taken() {
        settled.take(look());
    }

    /// Looks once more.
    public boolean isChanged() {
        return settled.isNew(look());
    }

    private String look() {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BYTES + 1), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return Wording.of(e);
        }
    }
}
