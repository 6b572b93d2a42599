package io.millrace.proxy.configuration;

/// Something in a configuration file that keeps it from being used.
///
/// @param file as it was named
/// @param line counted from 1; 0 for the file as a whole
/// @param column counted from 1; 0 for the file as a whole
/// @param key the way to the key, like `upstreams.api.timeouts.connect`; empty for the file as a whole
/// @param message what is wrong, with the value, and what to do
public record Problem(String file, int line, int column, String key, String message) {
    /// As compilers write it, so that editors find the place.
    @Override
    public String toString() {
        var place = line == 0 ? file : file + ":" + line + ":" + column;
        return place + ": " + (key.isEmpty() ? "" : key + ": ") + message;
    }
}
