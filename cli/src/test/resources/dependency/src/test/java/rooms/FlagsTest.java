package rooms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Request;
import io.millrace.http.kit.HttpKit;
import io.millrace.http.Response;
import org.junit.jupiter.api.Test;

class FlagsTest {
    @Test
    void tests_have_both_flags() {
        assertEquals("native opens", Main.flags());
    }

    @Test
    void tests_have_the_kit() throws Exception {
        assertEquals("hello", HttpKit.asServedOnLoop(request -> Response.ok("hello")).handle(Request.get("/")).text());
    }
}
