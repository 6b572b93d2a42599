/// What a whole proxy is to be, as immutable values. A file is read in
/// `io.millrace.proxy.configuration.file`; flags of a command make the same values.
@NullMarked
package io.millrace.proxy.configuration;

import org.jspecify.annotations.NullMarked;
