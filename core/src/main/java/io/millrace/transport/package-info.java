/// The interface to the kernel: operations are submitted, their results arrive in `poll`. One transport for
/// each kernel interface; one in memory is in the artifact for tests.
@NullMarked
package io.millrace.transport;

import org.jspecify.annotations.NullMarked;
