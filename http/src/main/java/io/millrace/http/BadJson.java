package io.millrace.http;

/// A text that is no JSON, or does not fit the type that was asked for. A request that has it as its body is
/// answered with 400, and its peer told what is here, if the server's [ErrorResponses] tell of details: it says
/// nothing of the program's own types.
public final class BadJson extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String pointer;
    private final String detail;

    /// @param detail what is wrong, for whoever sent it
    /// @param line from 1, as `column`
    /// @param pointer the value that it is about, as a JSON Pointer (RFC 6901); empty for all of it
    public BadJson(String detail, int line, int column, String pointer) {
        super("line " + line + ", column " + column + (pointer.isEmpty() ? "" : ", " + pointer) + ": " + detail);
        this.detail = detail;
        this.pointer = pointer;
    }

    /// What is wrong, without its place.
    public String detail() {
        return detail;
    }

    /// The value that it is about, as a JSON Pointer; empty for all of the text.
    public String pointer() {
        return pointer;
    }
}
