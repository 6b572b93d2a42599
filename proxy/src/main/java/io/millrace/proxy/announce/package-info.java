/// The PROXY protocol: headers in front of a connection that say whose it is.
@NullMarked
package io.millrace.proxy.announce;

import org.jspecify.annotations.NullMarked;
