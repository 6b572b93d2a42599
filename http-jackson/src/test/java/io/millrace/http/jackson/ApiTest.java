package io.millrace.http.jackson;

import io.millrace.testing.ApiFile;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// The public surface of this module is a file, so that a change of it shows up in review.
class ApiTest {
    @Test
    void the_public_surface_is_what_the_file_says() throws IOException {
        ApiFile.assertSaysWhatIsIn(JacksonCodec.class.getModule());
    }
}
