package io.millrace.http;

/// A text that is not JSON, or does not fit the requested type. If it is a request's body, the answer is 400,
/// with the detail below if the server's [ErrorResponses] send details; the detail does not reveal the program's
/// own types.
public final class BadJson extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String pointer;
    private final String detail;

    /// @param detail what is wrong, in words for the sender
    /// @param line from 1, as is `column`
    /// @param pointer the value in question, as a JSON Pointer (RFC 6901); empty for the whole text
    public BadJson(String detail, int line, int column, String pointer) {
        super("line " + line + ", column " + column + (pointer.isEmpty() ? "" : ", " + pointer) + ": " + detail);
        this.detail = detail;
        this.pointer = pointer;
    }

    /// What is wrong, without the place.
    public String detail() {
        return detail;
    }

    /// The value in question, as a JSON Pointer; empty for the whole text.
    public String pointer() {
        return pointer;
    }
}
