/// A reverse proxy for HTTP: upstreams, which share requests among their backends, and the rules of passing
/// messages on.
@NullMarked
package io.millrace.proxy;

import org.jspecify.annotations.NullMarked;
