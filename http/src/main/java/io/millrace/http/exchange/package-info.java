/// Exchanges, independent of the HTTP version: one request and its response.
@NullMarked
package io.millrace.http.exchange;

import org.jspecify.annotations.NullMarked;
