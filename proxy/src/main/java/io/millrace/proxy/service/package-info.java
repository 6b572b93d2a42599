/// A whole proxy, as a configuration says: listeners, routes and upstreams, which may change while it serves.
@NullMarked
package io.millrace.proxy.service;

import org.jspecify.annotations.NullMarked;
