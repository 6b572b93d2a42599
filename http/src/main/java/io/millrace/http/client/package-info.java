/// The HTTP client.
@NullMarked
package io.millrace.http.client;

import org.jspecify.annotations.NullMarked;
