package io.millrace.cli;

/// A field on the command line: `NAME: VALUE`.
record RequestField(String name, String value) {
    /// @throws IllegalArgumentException with a sentence
    static RequestField parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 1) throw new IllegalArgumentException("'" + text + "' is not a field: write 'NAME: VALUE'");
        return new RequestField(
                text.substring(0, colon), text.substring(colon + 1).strip());
    }
}
