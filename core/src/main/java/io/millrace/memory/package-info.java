/// Pooled memory, internal: slabs that move between owners, and the loop's side of input and output.
@NullMarked
package io.millrace.memory;

import org.jspecify.annotations.NullMarked;
