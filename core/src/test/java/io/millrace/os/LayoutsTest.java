package io.millrace.os;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LayoutsTest {
    @Test
    void the_running_kernel_lays_structs_out_as_we_do_and_no_descriptor_is_left() {
        try (var descriptors = new Descriptors()) {
            Layouts.check(descriptors.linux); // loads the classes, which may open a jar
            int lowestFree = descriptors.eventfd();
            descriptors.closeNow(lowestFree);
            Layouts.check(descriptors.linux);
            assertEquals(lowestFree, descriptors.eventfd());
        }
    }
}
