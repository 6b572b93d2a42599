package io.millrace.proxy.configuration.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.configuration.shape.FileReading;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The reference tells no standard that nobody could write.
class StandardsTest {
    private final Set<Section<?>> seen = new HashSet<>();
    private int checked;

    @Test
    void a_standard_that_is_written_out_means_the_same_as_none() {
        check(ProxyKeys.SECTION);
        assertTrue(checked > 60, "only " + checked + " standards");
    }

    private void check(Shape<?> shape) {
        switch (shape) {
            case Section<?> section -> {
                if (seen.add(section)) section.keys().forEach(this::check);
            }
            case Listing<?> listing -> check(listing.item());
            case Named<?> named -> check(named.item());
            case TextOr<?> either -> check(either.section());
            default -> {}
        }
    }

    private <T> void check(Key<T> key) {
        check(key.shape());
        var text = key.standardText().filter(_ -> !(key.shape() instanceof Section<?>));
        if (text.isEmpty()) return;
        checked++;
        var written = text.get().isEmpty() ? "''" : text.get();
        var document = (Yaml.Document) Yaml.compose("proxy.yaml", written);
        var reading = new FileReading("proxy.yaml", Corpus.FOLDER, Map.of());
        assertEquals(
                key.standard().orElseThrow(),
                reading.read(key.shape(), document.root()),
                key + ": " + reading.problems());
    }
}
