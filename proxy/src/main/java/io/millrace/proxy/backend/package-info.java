/// What an upstream is told of its backends: where they are, how requests are shared among them, whether they are
/// healthy, and how much they bear.
@NullMarked
package io.millrace.proxy.backend;

import org.jspecify.annotations.NullMarked;
