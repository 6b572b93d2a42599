/// The page that shows what a proxy does, and what it is fed with.
@NullMarked
package io.millrace.proxy.admin;

import org.jspecify.annotations.NullMarked;
