/// Servers for HTTP, and what they serve of files.
@NullMarked
package io.millrace.http.server;

import org.jspecify.annotations.NullMarked;
