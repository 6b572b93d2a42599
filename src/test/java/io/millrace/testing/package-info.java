/// What the tests of every module share: this folder is compiled into each of them.
@NullMarked
package io.millrace.testing;

import org.jspecify.annotations.NullMarked;
