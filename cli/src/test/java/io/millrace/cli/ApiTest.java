package io.millrace.cli;

import io.millrace.Tcp;
import io.millrace.http.server.Http;
import io.millrace.proxy.Upstream;
import io.millrace.testing.ApiFile;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The public surface of each module is a file, so that a change of it shows up in review.
class ApiTest {
    @ParameterizedTest
    @ValueSource(classes = {Tcp.class, Http.class, Upstream.class})
    void the_public_surface_is_what_the_file_says(Class<?> anyOfModule) throws IOException {
        ApiFile.assertSaysWhatIsIn(anyOfModule.getModule());
    }
}
