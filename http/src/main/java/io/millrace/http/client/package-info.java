/// The client for HTTP.
@NullMarked
package io.millrace.http.client;

import org.jspecify.annotations.NullMarked;
