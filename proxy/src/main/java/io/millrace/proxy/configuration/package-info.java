/// The configuration of a whole proxy, as immutable values. `io.millrace.proxy.configuration.file` reads them from
/// a file; a command's flags make the same values.
@NullMarked
package io.millrace.proxy.configuration;

import org.jspecify.annotations.NullMarked;
