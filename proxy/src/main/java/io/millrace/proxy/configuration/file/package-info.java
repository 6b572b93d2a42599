/// The configuration file: its keys, and how it is read.
@NullMarked
package io.millrace.proxy.configuration.file;

import org.jspecify.annotations.NullMarked;
