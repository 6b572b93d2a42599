/// What the artifact promises to those who use it.
@NullMarked
package io.millrace.testkit;

import org.jspecify.annotations.NullMarked;
