package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.http.HttpLimits;
import io.millrace.http.HttpVersion;
import io.millrace.proxy.Forwarding.Fields;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.UpstreamSettings.HashKey;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.backend.Health;
import io.millrace.proxy.backend.StickyCookie;
import io.millrace.proxy.backend.UpstreamLimits;
import io.millrace.tls.Tls;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Settings of upstreams are values.
class UpstreamSettingsTest {
    private static final Duration TIME = Duration.ofSeconds(77);

    private static UpstreamSettings of(int port) {
        return UpstreamSettings.of(List.of(Endpoint.of(new InetSocketAddress("10.0.0.1", port))));
    }

    /// Something else than the standard, of each kind that a property has.
    private static final List<Object> OTHERS = List.of(
            "other",
            EndpointSource.file(Path.of("backends")),
            Balance.HASH,
            HashKey.header("X-Key"),
            StickyCookie.of("backend", "a secret of some length"),
            Health.tcp(),
            UpstreamLimits.standard().pending(7),
            HttpLimits.standard().headBytes(777),
            TimeoutSettings.STANDARD.idle(TIME),
            Retries.STANDARD.attempts(7),
            HostPolicy.rewrite("a.test"),
            Forwarding.standard().via("edge"),
            7L,
            Version.V2,
            HttpVersion.HTTP_2,
            Tls.client("a.test"),
            TIME);

    private static Stream<Arguments> properties() {
        return Stream.of(of(80), TimeoutSettings.STANDARD)
                .flatMap(value -> Arrays.stream(value.getClass().getDeclaredMethods())
                        .filter(UpstreamSettingsTest::isSetter)
                        .map(setter -> Arguments.of(value, setter)));
    }

    private static boolean isSetter(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && method.getParameterCount() == 1
                && method.getReturnType() == method.getDeclaringClass()
                && method.getParameterTypes()[0] != EventLoops.class;
    }

    @ParameterizedTest
    @MethodSource("properties")
    void what_is_set_is_read_by_its_name_and_the_value_it_was_set_on_is_as_before(Object value, Method setter)
            throws ReflectiveOperationException {
        var other = OTHERS.stream()
                .filter(one -> setter.getParameterTypes()[0].isInstance(one)
                        || (setter.getParameterTypes()[0] == long.class && one instanceof Long))
                .findFirst()
                .orElseThrow();
        var getter = value.getClass().getMethod(setter.getName());
        var before = getter.invoke(value);
        var changed = Objects.requireNonNull(setter.invoke(value, other));
        var read = getter.invoke(changed);
        assertEquals(other, read instanceof Optional<?> optional ? optional.orElseThrow() : read);
        assertEquals(before, getter.invoke(value));
        assertNotEquals(value, changed);
        if (!(before instanceof Optional<?>))
            assertEquals(value, setter.invoke(changed, before), "nothing else was lost");
    }

    @Test
    void two_that_say_the_same_are_equal() {
        assertEquals(of(80).tls(Tls.client("a.test")), of(80).tls(Tls.client("a.test")));
        assertEquals(of(80).hashCode(), of(80).hashCode());
        assertNotEquals(of(80), of(81));
        assertEquals(EndpointSource.dns("a.test", 80), EndpointSource.dns("a.test", 80));
        assertNotEquals(EndpointSource.dns("a.test", 80), EndpointSource.dns("a.test", 81));
    }

    @Test
    void what_cannot_be_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> of(80).collectBytes(-1));
        assertThrows(IllegalArgumentException.class, () -> HostPolicy.rewrite("a\r\nb"));
        assertThrows(IllegalArgumentException.class, () -> Forwarding.standard().via("no name"));
        assertThrows(IllegalArgumentException.class, () -> Retries.STANDARD.attempts(0));
        assertThrows(IllegalArgumentException.class, () -> EndpointSource.dns("a.test", 0));
    }

    @Test
    void forwarding_is_a_value_too() {
        var rules =
                Forwarding.standard().forwardedHeaders(Set.of(Fields.values())).via("");
        assertEquals(rules, Forwarding.standard().via("").forwardedHeaders(Set.of(Fields.values())));
        assertEquals("", rules.via());
        assertTrue(Forwarding.standard()
                .forwardedHeadersAsReceived()
                .forwardedHeaders()
                .isEmpty());
        assertNotEquals(
                Forwarding.standard().forwardedHeaders(Set.of()),
                Forwarding.standard().forwardedHeadersAsReceived());
    }

    @Test
    void an_upstream_has_what_was_set_on_it_in_its_settings() {
        try (var upstream = Upstream.of("http://10.0.0.1:80")
                .name("shop")
                .firstByteTimeout(TIME)
                .limits(HttpLimits.standard().headBytes(777).idleTimeout(TIME))) {
            assertEquals(
                    of(80).name("shop")
                            .responses(HttpLimits.standard().headBytes(777).idleTimeout(TIME))
                            .timeouts(TimeoutSettings.STANDARD.firstByte(TIME).keepalive(TIME)),
                    upstream.settings());
        }
    }
}
