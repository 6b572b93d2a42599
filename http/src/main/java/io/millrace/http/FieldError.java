package io.millrace.http;

/// What is wrong with one field of a request; see [HttpError#field].
///
/// @param field a JSON Pointer (RFC 6901), which begins with a slash, to a value in the body; or the name of a
///     parameter, or of a form's field
/// @param detail what is wrong, in words for the sender
public record FieldError(String field, String detail) {}
