package io.millrace.sidebyside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A form with a file, which is stored, up to a length.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class UploadTest {
    private static final String TITLE = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nthe sea\r\n";

    private static final int MOST_BYTES = 1 << 20;

    @TempDir
    Path folder;

    static List<Side> sides() {
        return Row.UPLOAD.sides();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void a_photo_is_kept_one_that_is_missing_or_too_long_is_refused(Side side) throws Exception {
        try (var program = Program.start(Row.UPLOAD, side, "0", folder.toString());
                var browser = new Browser(program.uri())) {
            var content = "waves ".repeat(30_000);
            var kept = post(browser, TITLE + photo(content));
            assertEquals(201, kept.statusCode(), kept::body);
            assertEquals("the sea", kept.body());
            var location = kept.headers().firstValue("Location").orElse("");
            assertTrue(location.startsWith("/photos/"), location);
            assertEquals(content, Files.readString(folder.resolve(location.substring("/photos/".length()))));

            assertEquals("untitled", post(browser, photo("small")).body());
            assertEquals(400, post(browser, TITLE).statusCode());
            assertEquals(
                    413,
                    post(browser, TITLE + photo("x".repeat(MOST_BYTES + 1))).statusCode());
            try (var files = Files.list(folder)) {
                assertEquals(2, files.count());
            }
        }
    }

    /// The file name is one that a server must not use.
    private static String photo(String content) {
        return "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"../sea.png\"\r\n"
                + "Content-Type: image/png\r\n\r\n" + content + "\r\n";
    }

    private static HttpResponse<String> post(Browser browser, String parts) {
        return browser.send("POST", "/photos", parts + "--b--\r\n", "Content-Type", "multipart/form-data; boundary=b");
    }
}
