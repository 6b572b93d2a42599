/// A whole proxy from a configuration: listeners, routes and upstreams, which may change while it serves.
@NullMarked
package io.millrace.proxy.service;

import org.jspecify.annotations.NullMarked;
