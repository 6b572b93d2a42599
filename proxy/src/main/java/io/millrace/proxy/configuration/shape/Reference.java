package io.millrace.proxy.configuration.shape;

import org.jspecify.annotations.Nullable;

/// The name of something that stands elsewhere in the file.
///
/// @param kind what it is; a [Named] declares names of this kind
public record Reference(String kind) implements Shape<String> {
    @Override
    public @Nullable String read(Place place) {
        var name = place.text("the name of one, as it stands below " + kind + "s", _ -> false);
        if (name != null) place.reading().mention(kind, name, place);
        return name;
    }

    @Override
    public String text(String value) {
        return value;
    }
}
