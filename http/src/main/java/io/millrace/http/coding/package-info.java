/// Content codings (RFC 9110 section 8.4): bodies that are packed on their way, and what it takes to pack and
/// unpack them within limits.
@NullMarked
package io.millrace.http.coding;

import org.jspecify.annotations.NullMarked;
