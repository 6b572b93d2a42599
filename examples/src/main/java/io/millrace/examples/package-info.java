/// One small program per file, each ready to run.
@NullMarked
package io.millrace.examples;

import org.jspecify.annotations.NullMarked;
