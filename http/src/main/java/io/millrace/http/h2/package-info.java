/// HTTP/2 on the wire (RFC 9113), with its compression of fields (RFC 7541).
@NullMarked
package io.millrace.http.h2;

import org.jspecify.annotations.NullMarked;
