package io.millrace.http.jackson;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import io.millrace.http.BadJson;
import io.millrace.http.HttpError;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.TemporalAccessor;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Describes Jackson's errors in terms of JSON: its own messages name the program's types.
final class ReadFailure {
    /// The names in a pointer are the peer's, and are sent back to it.
    private static final int MOST_POINTER = 256;

    private ReadFailure() {}

    /// The exception to throw instead: the one of a value's constructor, or where the text is wrong. A type that
    /// cannot be read is the program's fault.
    static RuntimeException of(JsonProcessingException failure, JsonParser parser) {
        if (failure instanceof InvalidDefinitionException) {
            return new IllegalArgumentException(
                    "this type cannot be read from JSON: " + failure.getOriginalMessage(), failure);
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpError error) return error;
        }
        var root = failure.getCause() instanceof JsonProcessingException inner ? inner : failure;
        var at = root.getLocation() != null ? root.getLocation() : parser.currentLocation();
        var bad = new BadJson(what(root), at.getLineNr(), at.getColumnNr(), pointer(failure));
        bad.initCause(failure);
        return bad;
    }

    private static String what(JsonProcessingException failure) {
        return switch (failure) {
            case StreamConstraintsException _ -> "this is too long, or nested too deeply";
            case InputCoercionException _ -> "this number is out of range";
            case StreamReadException _ -> isTwice(failure) ? "this name occurs twice" : "this is not JSON";
            case UnrecognizedPropertyException _ -> "there is no such field";
            case ValueInstantiationException _ -> "this value is not accepted";
            case MismatchedInputException mismatch -> "this is not " + kind(mismatch.getTargetType());
            default -> "this does not fit";
        };
    }

    private static boolean isTwice(JsonProcessingException failure) {
        return failure.getOriginalMessage().startsWith("Duplicate ");
    }

    private static String kind(@Nullable Class<?> type) {
        if (type == null) return "the expected type";
        if (type == boolean.class || type == Boolean.class) return "true or false";
        if (isWhole(type)) return "a whole number";
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) return "a number";
        if (CharSequence.class.isAssignableFrom(type)) return "a text";
        if (type.isEnum()) return "one of the accepted texts";
        if (type == UUID.class) return "a UUID";
        boolean isTime = TemporalAccessor.class.isAssignableFrom(type) || type == Duration.class;
        if (isTime) return "a date or a time in ISO 8601";
        return type.isArray() || Collection.class.isAssignableFrom(type) ? "an array" : "an object";
    }

    private static boolean isWhole(Class<?> type) {
        return type == int.class
                || type == long.class
                || type == short.class
                || type == byte.class
                || type == Integer.class
                || type == Long.class
                || type == Short.class
                || type == Byte.class
                || type == BigInteger.class;
    }

    private static String pointer(JsonProcessingException failure) {
        if (!(failure instanceof JsonMappingException mapping)) return "";
        var path = new StringBuilder();
        for (var step : mapping.getPath()) {
            path.append('/');
            if (step.getFieldName() == null) path.append(step.getIndex());
            else path.append(step.getFieldName().replace("~", "~0").replace("/", "~1"));
        }
        return path.length() <= MOST_POINTER ? path.toString() : path.substring(0, MOST_POINTER);
    }
}
