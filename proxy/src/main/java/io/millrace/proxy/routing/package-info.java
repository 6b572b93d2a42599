/// Routes: which handler gets a request, and what is changed on the way there and back.
@NullMarked
package io.millrace.proxy.routing;

import org.jspecify.annotations.NullMarked;
