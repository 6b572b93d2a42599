/// A server for HTTP/1.1 (RFC 9110, RFC 9112): a function from a [io.millrace.http.Request] to a
/// [io.millrace.http.Response].
@NullMarked
package io.millrace.http;

import org.jspecify.annotations.NullMarked;
