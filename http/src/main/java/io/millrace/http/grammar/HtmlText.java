package io.millrace.http.grammar;

/// Escapes text for HTML, between tags or in the quotes of an attribute.
public final class HtmlText {
    private HtmlText() {}

    public static String of(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
