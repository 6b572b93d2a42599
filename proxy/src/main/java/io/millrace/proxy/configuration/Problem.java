package io.millrace.proxy.configuration;

/// An error in a configuration file.
///
/// @param file its name as it was given
/// @param line counted from 1; 0 for the file as a whole
/// @param column counted from 1; 0 for the file as a whole
/// @param key the path of the key, like `upstreams.api.timeouts.connect`; empty for the file as a whole
/// @param message what is wrong, with the value and the remedy
public record Problem(String file, int line, int column, String key, String message) {
    /// In the form of compilers' messages, so that editors find the place.
    @Override
    public String toString() {
        var place = line == 0 ? file : file + ":" + line + ":" + column;
        return place + ": " + (key.isEmpty() ? "" : key + ": ") + message;
    }
}
