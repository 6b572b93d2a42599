/// Reads and writes JSON with Jackson.
@NullMarked
package io.millrace.http.jackson;

import org.jspecify.annotations.NullMarked;
