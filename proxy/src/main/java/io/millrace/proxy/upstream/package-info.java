/// The inside of an upstream: its backends, how one is chosen, their health, and their sources.
@NullMarked
package io.millrace.proxy.upstream;

import org.jspecify.annotations.NullMarked;
