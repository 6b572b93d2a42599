/// For tests of handlers.
@NullMarked
package io.millrace.http.kit;

import org.jspecify.annotations.NullMarked;
