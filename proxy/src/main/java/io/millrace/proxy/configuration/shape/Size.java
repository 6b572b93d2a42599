package io.millrace.proxy.configuration.shape;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A number of bytes: a whole number, or a text with a unit.
public record Size(long least, long most) implements Shape<Long> {
    /// The form of the texts.
    public static final String FORM = "([0-9]{1,12})(B|KiB|MiB|GiB)";

    private static final Pattern PATTERN = Pattern.compile(FORM);
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB"};

    @Override
    public @Nullable Long read(Place place) {
        if (place.node().getTag().equals(Tag.INT)) {
            return new WholeNumber(least, most, "bytes").read(place);
        }
        var text = place.text("a size like 64KiB", _ -> false);
        if (text == null) return null;
        var parts = PATTERN.matcher(text);
        if (!parts.matches()) {
            place.refuse(
                    place.shown() + " is not a size: write a number of bytes, or one with a unit like 64KiB or 1MiB");
            return null;
        }
        long count = Long.parseLong(parts.group(1));
        int shift = shift(parts.group(2));
        long bytes = count > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : count << shift;
        if (bytes >= least && bytes <= most) return bytes;
        place.refuse(place.shown() + " is out of range: take " + text(least) + " to " + text(most));
        return null;
    }

    private static int shift(String unit) {
        int shift = 0;
        while (!UNITS[shift / 10].equals(unit)) shift += 10;
        return shift;
    }

    @Override
    public String text(Long value) {
        int unit = 0;
        long count = value;
        while (unit + 1 < UNITS.length && count != 0 && count % 1024 == 0) {
            count /= 1024;
            unit++;
        }
        return count + UNITS[unit];
    }
}
