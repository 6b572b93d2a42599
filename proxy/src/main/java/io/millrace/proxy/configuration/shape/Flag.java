package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Tag;

/// `true` or `false`.
public record Flag() implements Shape<Boolean> {
    @Override
    public @Nullable Boolean read(Place place) {
        var text = place.plain(Tag.BOOL, "true or false");
        return text == null ? null : Boolean.valueOf(text);
    }

    @Override
    public String text(Boolean value) {
        return value.toString();
    }
}
