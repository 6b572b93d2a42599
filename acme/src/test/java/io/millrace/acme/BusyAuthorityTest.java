package io.millrace.acme;

import static io.millrace.acme.Proving.metrics;
import static io.millrace.acme.Proving.nextLook;
import static io.millrace.acme.Proving.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Response;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.testing.EndsChildren;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An authority that has no time for an order, and says until when.
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class BusyAuthorityTest {
    private static final String PROBLEM = "application/problem+json";
    private static final String LIMITED = """
            {"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many orders"}""";
    private static final String BROKEN = """
            {"type": "urn:ietf:params:acme:error:serverInternal", "detail": "too many orders"}""";

    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private Proving here;
    private Front front;
    private final AtomicInteger orders = new AtomicInteger();
    private final Lines log = new Lines();

    /// The keeper's warnings.
    private static final class Lines extends Handler {
        private final ConcurrentLinkedQueue<String> all = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.WARNING) all.add(new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void something_stands_in_front_of_the_authority() throws IOException {
        here = new Proving(folder);
        front = new Front(here.loops, here.pebble, folder);
        Logger.getLogger("io.millrace.acme").addHandler(log);
    }

    @AfterEach
    void they_end() {
        Logger.getLogger("io.millrace.acme").removeHandler(log);
        front.close();
        here.close();
    }

    private AcmeSettings settings() {
        return here.settings("www.example.test")
                .directory(front.directory())
                .authorities(TlsIdentity.certificates(front.authorities()));
    }

    @ParameterizedTest
    @CsvSource({"429, problem, limits the rate", "503, problem, refuses", "503, text, HTTP 503", "429, text, HTTP 429"})
    void the_keeper_waits_as_long_as_it_is_told_and_then_goes_on(int status, String kind, String said) {
        var problem = status == 429 ? LIMITED : BROKEN;
        front.instead(request -> {
            if (!request.path().equals("/order-plz") || orders.incrementAndGet() > 1) return Optional.empty();
            var answer = kind.equals("text")
                    ? Response.of(status, "text/html", "<p>no")
                    : Response.of(status, PROBLEM, problem);
            return Optional.of(answer.setHeader("Retry-After", "3600"));
        });
        var now = new Instant[] {Instant.now()};
        var settings = settings();
        try (var keeper = here.keeper(() -> now[0])) {
            keeper.keep(List.of(settings));
            until(() -> metrics(keeper).contains("result=\"failed\"} 1"));
            var due = nextLook(keeper);
            assertFalse(due.isBefore(now[0].plusSeconds(3599)), due.toString());
            assertFalse(due.isAfter(Instant.now().plusSeconds(3600)), due.toString());
            until(() -> !log.all.isEmpty());
            assertTrue(log.all.element().contains(said), log.all.toString());

            now[0] = due.minus(Duration.ofMinutes(1));
            keeper.keep(List.of(settings));
            assertEquals(due, nextLook(keeper));
            assertEquals(1, orders.get());
            now[0] = due;
            keeper.keep(List.of(settings));
            until(() -> settings.identity().isPresent());
            assertTrue(orders.get() > 1, "it may be refused once more, for a nonce");
            assertEquals(1, log.all.size(), log.all.toString());
        }
    }
}
