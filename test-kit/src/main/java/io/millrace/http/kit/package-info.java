/// Tests HTTP handlers without sockets.
@NullMarked
package io.millrace.http.kit;

import org.jspecify.annotations.NullMarked;
