package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A whole number.
///
/// @param unit what is counted, in the plural; empty for a number that counts nothing
public record WholeNumber(long least, long most, String unit) implements Shape<Long> {
    @Override
    public @Nullable Long read(Place place) {
        var text = place.plain(Tag.INT, "a whole number, " + range());
        if (text == null) return null;
        // Longer than any number in range.
        boolean isReadable = text.length() <= 18;
        long value = isReadable ? Long.parseLong(text) : 0;
        if (isReadable && value >= least && value <= most) return value;
        place.refuse(place.shown() + " is out of range: take " + range());
        return null;
    }

    /// The range, with its unit.
    public String range() {
        return least + " to " + most + (unit.isEmpty() ? "" : " " + unit);
    }

    @Override
    public String text(Long value) {
        return value.toString();
    }
}
