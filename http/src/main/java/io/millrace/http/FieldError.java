package io.millrace.http;

/// What is wrong with one field of a request; see [HttpError#field].
///
/// @param field a JSON Pointer (RFC 6901), which begins with a slash, for a value in the body; or the name of a
///     parameter, or of a field of a form
/// @param detail what is wrong, for whoever sent it
public record FieldError(String field, String detail) {}
