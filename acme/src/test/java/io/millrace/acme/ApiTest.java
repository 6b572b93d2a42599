package io.millrace.acme;

import io.millrace.testing.ApiFile;
import org.junit.jupiter.api.Test;

class ApiTest {
    @Test
    void the_public_surface_is_what_the_file_says() throws Exception {
        ApiFile.assertSaysWhatIsIn(Acme.class.getModule());
    }
}
