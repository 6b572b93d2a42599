/// A reverse proxy for HTTP: upstreams, which share requests among their backends, and rules for
/// forwarding messages.
@NullMarked
package io.millrace.proxy;

import org.jspecify.annotations.NullMarked;
