/// Servers for HTTP, static files included.
@NullMarked
package io.millrace.http.server;

import org.jspecify.annotations.NullMarked;
