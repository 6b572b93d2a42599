/// What the filters of operation are made of: lines of logs, checks of passwords, rates, and what the process is.
@NullMarked
package io.millrace.http.operation;

import org.jspecify.annotations.NullMarked;
