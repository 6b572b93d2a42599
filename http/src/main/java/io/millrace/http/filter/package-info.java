/// Filters for handlers: what is done in front of any of them, and behind.
@NullMarked
package io.millrace.http.filter;

import org.jspecify.annotations.NullMarked;
