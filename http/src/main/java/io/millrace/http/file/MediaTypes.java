package io.millrace.http.file;

import java.util.Locale;
import java.util.Map;

/// Media types by file extension: a table of what the web consists of, the same on every machine. Texts are
/// declared as UTF-8, except formats that declare their encoding themselves (JSON, XML).
public final class MediaTypes {
    /// For all other files: bytes that no program should try to interpret.
    public static final String UNKNOWN = "application/octet-stream";

    private static final Map<String, String> BY_EXTENSION = Map.ofEntries(
            text("html", "html"),
            text("htm", "html"),
            text("css", "css"),
            text("js", "javascript"),
            text("mjs", "javascript"),
            text("txt", "plain"),
            text("log", "plain"),
            text("md", "markdown"),
            text("csv", "csv"),
            text("ics", "calendar"),
            text("vtt", "vtt"),
            Map.entry("json", "application/json"),
            Map.entry("map", "application/json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("xml", "application/xml"),
            Map.entry("xhtml", "application/xhtml+xml"),
            Map.entry("atom", "application/atom+xml"),
            Map.entry("rss", "application/rss+xml"),
            Map.entry("wasm", "application/wasm"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("zip", "application/zip"),
            Map.entry("gz", "application/gzip"),
            Map.entry("zst", "application/zstd"),
            Map.entry("tar", "application/x-tar"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("gif", "image/gif"),
            Map.entry("webp", "image/webp"),
            Map.entry("avif", "image/avif"),
            Map.entry("ico", "image/vnd.microsoft.icon"),
            Map.entry("woff", "font/woff"),
            Map.entry("woff2", "font/woff2"),
            Map.entry("ttf", "font/ttf"),
            Map.entry("otf", "font/otf"),
            Map.entry("mp3", "audio/mpeg"),
            Map.entry("m4a", "audio/mp4"),
            Map.entry("ogg", "audio/ogg"),
            Map.entry("opus", "audio/ogg"),
            Map.entry("flac", "audio/flac"),
            Map.entry("wav", "audio/wav"),
            Map.entry("mp4", "video/mp4"),
            Map.entry("webm", "video/webm"));

    private MediaTypes() {}

    private static Map.Entry<String, String> text(String extension, String subtype) {
        return Map.entry(extension, "text/" + subtype + "; charset=utf-8");
    }

    /// The media type for a file's name or path, whatever the case of its extension; [#UNKNOWN] if the
    /// extension is missing or unknown.
    public static String of(String name) {
        var extension = name.substring(name.lastIndexOf('.') + 1);
        if (extension.length() == name.length()) return UNKNOWN;
        return BY_EXTENSION.getOrDefault(extension.toLowerCase(Locale.ROOT), UNKNOWN);
    }
}
