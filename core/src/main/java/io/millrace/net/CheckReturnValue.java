package io.millrace.net;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The result is all that a call does, such as the changed copy of an immutable value: ignoring it is a mistake.
/// Error Prone recognizes this annotation by its name and reports that as a compile error.
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface CheckReturnValue {}
