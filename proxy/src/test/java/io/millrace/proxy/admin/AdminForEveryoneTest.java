package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.http.filter.Metrics;
import io.millrace.proxy.Admin;
import io.millrace.proxy.Upstream;
import io.millrace.proxy.UpstreamMetrics;
import io.millrace.proxy.admin.Chromium.Press;
import io.millrace.proxy.admin.Watched.ServingCertificate;
import io.millrace.proxy.admin.Watched.ServingListener;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.admin.Watched.ServingRoute;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.testing.EndsChildren;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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
import org.junit.jupiter.params.provider.CsvSource;

/// The admin page on every screen, without a mouse, and with names that attack it.
@Tag("slow")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminForEveryoneTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String TOKEN = "0123456789abcdef";
    private static final String HOSTILE = "<img src=x onerror=window.attacked=1>";
    private static final String FOCUS = "document.activeElement.id";
    private static final String SHOWN = "document.querySelectorAll('#routes tbody tr').length";

    @TempDir
    private static Path folder;

    private static Chromium browser;

    private final AtomicInteger reloads = new AtomicInteger();
    private EventLoops loops;
    private Upstream upstream;
    private Admin.Opened page;

    @BeforeAll
    static void start() throws Exception {
        browser = Chromium.start(folder);
    }

    @AfterAll
    static void stop() {
        if (browser != null) browser.close();
    }

    @BeforeEach
    void show() throws Exception {
        loops = EventLoops.of(1);
        var endpoints = List.of(
                Endpoint.of(InetSocketAddress.createUnresolved(HOSTILE, 80)),
                Endpoint.of(InetSocketAddress.createUnresolved("quiet.invalid", 80)));
        EndpointSource source = listener -> {
            listener.accept(endpoints);
            return () -> {};
        };
        upstream = Upstream.of(source).name("app" + HOSTILE).start();
        page = Admin.of(Metrics.of())
                .loops(loops)
                .upstreams(UpstreamMetrics.of(upstream))
                .token(TOKEN)
                .open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), loops);
        page.onReload(() -> "reloaded " + reloads.incrementAndGet());
        var serving = serving();
        page.shows(() -> serving);
    }

    /// The page leaves first: it would complain of its lost connection to the next test.
    @AfterEach
    void end() throws Exception {
        browser.open(URI.create("about:blank"), 800, false);
        page.close();
        upstream.close();
        loops.close();
    }

    private static ServingProxy serving() {
        var routes = Stream.iterate(0, i -> i + 1)
                .limit(1000)
                .map(i -> new ServingRoute(
                        i == 999 ? HOSTILE : "route" + i, List.of("web"), List.of(), "/p" + i, "forward", "app"))
                .toList();
        var now = Instant.now();
        return new ServingProxy(
                1,
                List.of(new ServingListener("web", "127.0.0.1:8443", "HTTP", "ends here")),
                routes,
                List.of(
                        certificate("good.example", now.plus(Duration.ofDays(60).plusHours(1))),
                        certificate("soon.example", now.plus(Duration.ofDays(5).plusHours(1))),
                        certificate(HOSTILE, now.minus(Duration.ofDays(2).plusHours(1)))));
    }

    private static ServingCertificate certificate(String name, Instant expires) {
        return new ServingCertificate("web", "CN=" + name, List.of(name), expires);
    }

    private void open(int width, boolean isDark) throws Exception {
        int port = ((InetSocketAddress) page.address()).getPort();
        browser.open(URI.create("http://127.0.0.1:" + port + "/"), width, isDark);
        browser.await("document.querySelector('#charts path') && " + SHOWN + " > 0");
    }

    private static String text(String expression) throws Exception {
        return browser.value(expression).asText();
    }

    private static void unlock() throws Exception {
        tabTo("lock");
        browser.press(Press.ENTER);
        browser.type(TOKEN);
        browser.press(Press.ENTER);
        browser.await("document.getElementById('message').textContent === 'Changes are unlocked.'");
    }

    /// What is unlocked just now may still be about to be shown.
    private static void tabTo(String id) throws Exception {
        browser.await("(it => it && !it.disabled && it.offsetParent)(document.getElementById('" + id + "'))");
        for (int i = 0; i < 60 && !text(FOCUS).equals(id); i++) browser.press(Press.TAB);
        assertEquals(id, text(FOCUS));
    }

    @ParameterizedTest
    @CsvSource({"360, false", "360, true", "800, false", "800, true", "1400, false", "1400, true"})
    void axe_finds_nothing_wrong_on_any_screen_and_in_any_dialog(int width, boolean isDark) throws Exception {
        var script = AxeCore.script();
        open(width, isDark);
        unlock();
        browser.value(script + "; true");
        assertEquals("", violations());
        browser.value("document.getElementById('reload').click(); true");
        assertEquals("", violations());
        int needed = browser.value("document.documentElement.scrollWidth").asInt();
        assertTrue(needed <= width, needed + " of " + width);
        assertEquals(List.of(), browser.complaints);
    }

    private static String violations() throws Exception {
        return text("axe.run(document).then(found => found.violations.map(one => one.id + ': '"
                + " + one.nodes.map(node => node.html + ' ' + node.failureSummary).join('; ')).join('\\n'))");
    }

    @Test
    void every_control_shows_that_it_has_the_focus() throws Exception {
        open(1400, false);
        unlock();
        browser.value("document.querySelector('.skip').focus(); true");
        int controls = browser.value("[...document.querySelectorAll('a, button, input, [tabindex=\"0\"]')]"
                        + ".filter(one => one.checkVisibility() && one.tabIndex >= 0).length")
                .asInt();
        for (int i = 0; i < controls; i++) {
            var style = text("getComputedStyle(document.activeElement).outlineStyle");
            assertEquals("solid", style, text("document.activeElement.outerHTML"));
            browser.press(Press.TAB);
        }
    }

    @Test
    void a_change_is_made_after_a_question_by_keyboard_alone() throws Exception {
        open(1400, false);
        unlock();
        tabTo("reload");
        browser.press(Press.ENTER);
        assertEquals("ask-no", text(FOCUS));
        browser.press(Press.TAB);
        assertEquals("ask-yes", text(FOCUS));
        browser.press(Press.TAB);
        assertEquals("ask-no", text(FOCUS));
        browser.press(Press.TAB);
        browser.press(Press.ENTER);
        browser.await("document.getElementById('message').textContent === 'reloaded 1'");
        assertEquals("reload", text(FOCUS));
    }

    @Test
    void a_question_that_is_left_changes_nothing_and_gives_the_focus_back() throws Exception {
        open(1400, false);
        unlock();
        tabTo("reload");
        for (int i = 0; i < 2; i++) {
            browser.press(Press.ENTER);
            browser.await("document.getElementById('ask').open");
            browser.press(Press.ESCAPE);
            browser.await("!document.getElementById('ask').open");
            assertEquals("reload", text(FOCUS));
        }
        assertEquals(0, reloads.get());
    }

    @Test
    void a_wrong_token_is_noticed_when_it_is_entered() throws Exception {
        open(800, false);
        tabTo("lock");
        browser.press(Press.ENTER);
        assertEquals("token", text(FOCUS));
        browser.type("not the right token");
        browser.press(Press.ENTER);
        browser.await("document.getElementById('message').textContent === 'Wrong token.'");
        browser.await(FOCUS + " === 'token'");
        assertEquals("true", text("document.getElementById('token').getAttribute('aria-invalid')"));
        browser.press(Press.ESCAPE);
        assertEquals("lock", text(FOCUS));
        assertTrue(browser.value("document.getElementById('unlock').hidden").asBoolean());
    }

    @Test
    void names_are_texts_whatever_they_contain() throws Exception {
        open(1400, false);
        browser.await("document.getElementById('upstreams').textContent.includes('" + HOSTILE + "')");
        browser.await("document.getElementById('certificates').textContent.includes('" + HOSTILE + "')");
        browser.value("document.getElementById('find').value = 'onerror';"
                + " document.getElementById('find').dispatchEvent(new Event('input')); true");
        browser.await(SHOWN + " === 1 && document.getElementById('routes').textContent.includes('" + HOSTILE + "')");
        unlock();
        browser.value("[...document.querySelectorAll('td button')][0].click(); true");
        browser.await("document.getElementById('ask').textContent.includes('" + HOSTILE + "')");
        assertEquals(
                0,
                browser.value("document.querySelectorAll('img[src=x]').length").asInt());
        assertEquals("undefined", text("typeof window.attacked"));
        assertEquals(List.of(), browser.complaints);
    }

    @Test
    void many_routes_are_shown_in_pages_and_found_by_a_text() throws Exception {
        open(1400, false);
        assertEquals(20, browser.value(SHOWN).asInt());
        var told = "document.getElementById('routes-shown').textContent";
        assertEquals("1 to 20 of 1,000", text(told));
        tabTo("routes-after");
        browser.press(Press.ENTER);
        browser.await(told + " === '21 to 40 of 1,000'");
        assertEquals("routes-after", text(FOCUS));
        browser.value("document.getElementById('find').focus(); true");
        browser.type("route99");
        browser.await(told + " === '1 to 10 of 10 found, of 1,000'");
    }

    @Test
    void a_certificate_that_expires_soon_is_told_in_words_and_in_another_colour() throws Exception {
        open(1400, false);
        var marks = "[...document.querySelectorAll('#certificates .badge')]";
        assertEquals("✕ expired 2 days ago", text(marks + "[0].textContent"));
        assertEquals("▲ only 5 days left: renew it", text(marks + "[1].textContent"));
        assertEquals("● 60 days left", text(marks + "[2].textContent"));
        var colours = "new Set(" + marks + ".map(one => getComputedStyle(one).color)).size";
        assertEquals(3, browser.value(colours).asInt());
    }

    @Test
    void the_process_is_told() throws Exception {
        open(1400, false);
        var told = text("document.getElementById('process').textContent");
        assertTrue(told.matches("version \\S+ · pid " + ProcessHandle.current().pid() + " · up .+, since .+"), told);
    }
}
