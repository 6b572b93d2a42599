package io.millrace.net;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// What is returned is all that a call does: of an immutable value the changed copy, which is nothing to anybody who
/// drops it. Error Prone makes that an error of the compiler, by the name of this annotation.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface CheckReturnValue {}
