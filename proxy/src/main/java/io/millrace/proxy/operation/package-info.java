/// What it takes to run a proxy: metrics, passwords, and limits on who asks how often.
@NullMarked
package io.millrace.proxy.operation;

import org.jspecify.annotations.NullMarked;
