package io.millrace.proxy.configuration.shape;

import com.google.re2j.Pattern;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Whether texts have forms, which are regular expressions that a JSON Schema can have, too. With RE2, because
/// Java's own matcher calls itself for each repetition of a group, and a text may be long.
final class Forms {
    /// There are as many as the keys have.
    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();

    private Forms() {}

    /// Whether the whole text matches.
    static boolean matches(String form, String text) {
        return COMPILED.computeIfAbsent(form, Pattern::compile).matches(text);
    }
}
