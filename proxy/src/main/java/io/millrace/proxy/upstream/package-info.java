/// The inside of an upstream: its backends, who is chosen, whether they are healthy, and where they come from.
@NullMarked
package io.millrace.proxy.upstream;

import org.jspecify.annotations.NullMarked;
