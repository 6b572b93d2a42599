package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The tests run where the code runs: inside its module, with the same doors open and assertions on.
class TestModuleTest {
    private final Module module = TestModuleTest.class.getModule();

    @Test
    void tests_run_inside_the_core_module() {
        assertEquals("io.millrace.core", module.getName());
    }

    @Test
    void the_module_may_call_native_code() {
        assertTrue(module.isNativeAccessEnabled());
    }

    @Test
    void java_lang_is_open_to_the_module() {
        assertTrue(Object.class.getModule().isOpen("java.lang", module));
    }

    @Tag("asserts")
    @Test
    void assertions_are_on() {
        assertTrue(TestModuleTest.class.desiredAssertionStatus());
    }
}
