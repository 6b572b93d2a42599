package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("slow")
@Timeout(120)
class TrainTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void it_serves_and_loads_and_ends_by_itself() throws Exception {
        try (var train = Program.start("train", "--requests", "500")) {
            var said = String.join("\n", train.rest());
            assertEquals(0, train.exitCode(), () -> said + train.err());
            assertEquals(10, said.split("came back in").length - 1, said);
            assertTrue(said.contains("proxy.yaml is fine"), said);
        }
    }
}
