/// The parts that operational filters share: log lines, password checks, rates, and process figures.
@NullMarked
package io.millrace.http.operation;

import org.jspecify.annotations.NullMarked;
