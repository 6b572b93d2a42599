package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.admin.Chromium.Press;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The admin page of a proxy under load, as a browser shows it.
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminInBrowserTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String REQUESTS = "document.querySelector('#tiles dd').textContent";
    private static final String TITLE = "document.title";
    private static final String FIRST_STATE =
            "document.querySelector('#upstreams tbody [data-name=State] .badge').textContent";
    private static final String LIVE = "/[1-9]/.test(" + REQUESTS + ") && document.querySelector('#charts path')";
    private static final int WIDE = 1200;

    @TempDir
    private static Path folder;

    private static Chromium browser;

    private final RawBackend one = RawBackend.answering(WatchedProxy.OK);
    private final RawBackend other = RawBackend.answering(WatchedProxy.OK);
    private final WatchedProxy proxy = WatchedProxy.before(one, other);
    private volatile boolean isOver;
    private Thread load;

    AdminInBrowserTest() throws IOException {}

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start(folder);
    }

    @AfterAll
    static void stop() {
        if (browser != null) browser.close();
    }

    @BeforeEach
    void load() {
        load = Thread.ofVirtual().start(() -> {
            try {
                while (!isOver) proxy.get(5);
            } catch (IOException _) {
                // The proxy has ended.
            }
        });
    }

    @AfterEach
    void end() throws Exception {
        isOver = true;
        proxy.close();
        load.join();
        one.close();
        other.close();
    }

    private URI page() {
        return URI.create("http://127.0.0.1:" + proxy.pagePort() + "/");
    }

    private void open(int width, boolean isDark) throws Exception {
        browser.open(page(), width, isDark);
        browser.await(LIVE);
    }

    @Test
    void figures_move_nothing_comes_from_elsewhere_and_nothing_is_complained_of() throws Exception {
        open(WIDE, false);
        var first = browser.value(
                "window.first = document.querySelector('#tiles .more').textContent; document.querySelectorAll('#charts path').length");
        assertTrue(first.asInt() >= 5, "charts have " + first + " lines and areas");
        browser.await("document.querySelector('#tiles .more').textContent !== window.first");
        assertEquals("Millrace proxy", browser.value(TITLE).asText());
        assertEquals(
                "● live",
                browser.value("document.getElementById('condition').textContent")
                        .asText());
        assertTrue(browser.requests.size() >= 6, browser.requests::toString);
        assertEquals(
                List.of(),
                browser.requests.stream()
                        .filter(url -> !url.startsWith(page().toString()))
                        .toList());
        assertEquals(List.of(), browser.complaints);
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, WIDE})
    void no_width_has_to_be_scrolled_sideways(int width) throws Exception {
        open(width, false);
        int needed = browser.value("document.documentElement.scrollWidth").asInt();
        assertTrue(needed <= width, needed + " of " + width);
    }

    @Test
    void who_likes_it_dark_gets_it_dark() throws Exception {
        var ground =
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b)";
        open(WIDE, false);
        int light = browser.value(ground).asInt();
        open(WIDE, true);
        int dark = browser.value(ground).asInt();
        assertTrue(light > 600 && dark < 120, light + " and " + dark);
    }

    @Test
    void a_keyboard_reaches_everything_and_reads_the_charts() throws Exception {
        open(WIDE, false);
        browser.press(Press.TAB);
        assertEquals("skip", browser.value("document.activeElement.className").asText());
        browser.press(Press.TAB);
        assertEquals("lock", browser.value("document.activeElement.id").asText());
        while (!browser.value("document.activeElement.className").asText().equals("plot")) browser.press(Press.TAB);
        browser.press(Press.LEFT);
        var told = browser.value("document.activeElement.getAttribute('aria-valuetext')")
                .asText();
        assertTrue(told.matches("\\d+ s ago: 2xx [\\d.,]+, 3xx 0, 4xx 0, 5xx 0, no response 0"), told);
    }

    @Test
    void the_token_unlocks_changes_and_a_backend_goes_out_and_in() throws Exception {
        open(WIDE, false);
        unlock("this is no token at all");
        browser.await("document.getElementById('message').textContent === 'Wrong token.'");
        unlock(WatchedProxy.TOKEN);
        click("Disable");
        browser.await(TITLE + " === '▲ 1 backend out · Millrace proxy'");
        assertEquals("❚❚ out", browser.value(FIRST_STATE).asText());
        click("Enable");
        browser.await(TITLE + " === 'Millrace proxy'");
        assertEquals("● up", browser.value(FIRST_STATE).asText());
    }

    private static void unlock(String token) throws Exception {
        browser.value("document.getElementById('lock').click(); document.getElementById('token').value = '" + token
                + "'; document.getElementById('unlock').requestSubmit()");
    }

    private static void click(String text) throws Exception {
        browser.value("[...document.querySelectorAll('td button')].find(one => one.textContent === '" + text
                + "').click();" + " document.getElementById('ask-yes').click()");
    }

    @Test
    void a_lost_connection_is_told() throws Exception {
        open(WIDE, false);
        proxy.close();
        browser.await(TITLE + " === '✕ no connection · Millrace proxy'");
        assertTrue(browser.value("document.body.classList.contains('lost')").asBoolean());
    }

    @Test
    void a_page_that_pauses_stands_still() throws Exception {
        open(WIDE, false);
        browser.value("document.getElementById('pause').click()");
        var shown =
                browser.value("document.querySelector('#tiles').textContent").asText();
        // Two states have come when the history has two more moments.
        browser.value("window.states = 0; fetch('/api/events').then(async answer => {"
                + " for await (const _ of answer.body) window.states++; }); true");
        browser.await("window.states >= 4");
        assertEquals(
                shown,
                browser.value("document.querySelector('#tiles').textContent").asText());
    }
}
