/// Filters for handlers.
@NullMarked
package io.millrace.http.filter;

import org.jspecify.annotations.NullMarked;
