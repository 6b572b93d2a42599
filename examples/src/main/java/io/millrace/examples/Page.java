package io.millrace.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// Pages beside the classes.
final class Page {
    private Page() {}

    static String of(String name) {
        try (var in = Page.class.getResourceAsStream(name)) {
            if (in == null) throw new IllegalArgumentException("no page " + name + " beside " + Page.class);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
