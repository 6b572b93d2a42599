/// Files as responses: what is found below a root, which part of it is asked for, and the threads that read it.
@NullMarked
package io.millrace.http.file;

import org.jspecify.annotations.NullMarked;
