/// The page that shows what a proxy does, and its data.
@NullMarked
package io.millrace.proxy.admin;

import org.jspecify.annotations.NullMarked;
