package io.millrace.proxy.configuration;

import com.google.re2j.Pattern;
import java.util.Locale;

/// A field that a request has to have, or must not have. Of several lines of one field one has to fulfil it,
/// or all of them joined with `, `.
public sealed interface HeaderMatch {
    String name();

    /// In small letters, for comparison.
    default String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The whole value is this one.
    record Exact(String name, String value) implements HeaderMatch {}

    /// It is there, or not.
    record Present(String name, boolean isPresent) implements HeaderMatch {}

    /// A part of the value matches, in time that is linear in its length, whatever the pattern.
    record Matching(String name, Pattern pattern) implements HeaderMatch {}
}
