/// Random bytes for every parser: what the targets share, a short run in the suite, and long ones guided by
/// coverage.
@NullMarked
package io.millrace.http.fuzz;

import org.jspecify.annotations.NullMarked;
