/// The PROXY protocol: a header that begins a connection and says which client it is for.
@NullMarked
package io.millrace.proxy.announce;

import org.jspecify.annotations.NullMarked;
