/// Content codings (RFC 9110 section 8.4): compression and decompression of bodies, within limits.
@NullMarked
package io.millrace.http.coding;

import org.jspecify.annotations.NullMarked;
