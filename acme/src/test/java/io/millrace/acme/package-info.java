@NullMarked
package io.millrace.acme;

import org.jspecify.annotations.NullMarked;
