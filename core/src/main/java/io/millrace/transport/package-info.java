/// The seam to the kernel: operations are submitted, their results arrive in `poll`. One transport for each
/// kernel interface, and one in memory.
@NullMarked
package io.millrace.transport;

import org.jspecify.annotations.NullMarked;
