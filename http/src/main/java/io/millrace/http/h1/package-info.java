/// HTTP/1.1 on the wire (RFC 9112): what arrives is parsed in one pass and refused at the first violation.
@NullMarked
package io.millrace.http.h1;

import org.jspecify.annotations.NullMarked;
