package io.millrace.proxy.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.proxy.admin.Pages.AdminChange;
import io.millrace.proxy.admin.Sample.LoadSample;
import io.millrace.proxy.admin.Watched.ServingCertificate;
import io.millrace.proxy.admin.Watched.ServingListener;
import io.millrace.proxy.admin.Watched.ServingProxy;
import io.millrace.proxy.admin.Watched.ServingRoute;
import io.millrace.proxy.announce.ProxyEvents.ProxyEvent;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Samples as JSON. Missing numbers, such as latencies without requests, are `null`.
final class AdminJson {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    /// The most listeners, routes or certificates in a response (`docs/limits.md`).
    static final int MOST = 100;

    /// The most host names of a route or a certificate.
    private static final int MOST_NAMES = 20;

    private static final String VERSION = Optional.ofNullable(
                    AdminJson.class.getModule().getDescriptor())
            .flatMap(ModuleDescriptor::rawVersion)
            .orElse("unknown");

    private final JsonGenerator to;

    private AdminJson(JsonGenerator to) {
        this.to = to;
    }

    @FunctionalInterface
    private interface Writing {
        void write(AdminJson json) throws IOException;
    }

    private static String text(Writing writing) {
        var text = new StringWriter();
        try (var to = FACTORY.createGenerator(text)) {
            writing.write(new AdminJson(to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /// An array, oldest first.
    static String of(List<LoadSample> history) {
        return text(json -> {
            json.to.writeStartArray();
            for (var moment : history) json.moment(moment);
            json.to.writeEndArray();
        });
    }

    /// @param serving the number of the configuration
    /// @param journal another number whenever there was an event
    /// @param changes the changes that are possible; none without a token
    static String of(Sample sample, long startMillis, long serving, long journal, Set<AdminChange> changes) {
        return text(json -> json.sample(sample, startMillis, serving, journal, changes));
    }

    private void sample(Sample sample, long startMillis, long serving, long journal, Set<AdminChange> changes)
            throws IOException {
        to.writeStartObject();
        to.writeNumberField("started", startMillis);
        to.writeNumberField("serving", serving);
        to.writeNumberField("journal", journal);
        to.writeNumberField("requests", sample.requests());
        to.writeNumberField("backendsOut", sample.out());
        to.writeFieldName("now");
        moment(sample.moment());
        to.writeArrayFieldStart("loops");
        for (var loop : sample.loops()) write(loop);
        to.writeEndArray();
        to.writeArrayFieldStart("upstreams");
        for (var upstream : sample.upstreams()) write(upstream);
        to.writeEndArray();
        to.writeArrayFieldStart("guards");
        for (var guard : sample.guards()) write(guard);
        to.writeEndArray();
        to.writeArrayFieldStart("changes");
        for (var change : changes) to.writeString(change.word());
        to.writeEndArray();
        to.writeEndObject();
    }

    /// Certificates that expire first come first.
    static String proxy(ServingProxy serving, long startMillis) {
        return text(json -> json.process(serving, startMillis));
    }

    private void process(ServingProxy serving, long startMillis) throws IOException {
        to.writeStartObject();
        to.writeStringField("version", VERSION);
        to.writeStringField("java", Runtime.version().toString());
        to.writeNumberField("pid", ProcessHandle.current().pid());
        to.writeNumberField("started", startMillis);
        to.writeNumberField("time", System.currentTimeMillis());
        to.writeNumberField("routes", serving.routes().size());
        to.writeNumberField("moreListeners", Math.max(0, serving.listeners().size() - MOST));
        to.writeArrayFieldStart("listeners");
        for (var listener : part(serving.listeners(), 0, MOST)) write(listener);
        to.writeEndArray();
        to.writeNumberField(
                "moreCertificates", Math.max(0, serving.certificates().size() - MOST));
        to.writeArrayFieldStart("certificates");
        var soonest = serving.certificates().stream()
                .sorted(Comparator.comparing(ServingCertificate::expires))
                .toList();
        for (var certificate : part(soonest, 0, MOST)) write(certificate);
        to.writeEndArray();
        to.writeEndObject();
    }

    private static <T> List<T> part(List<T> all, int from, int count) {
        int begin = Math.min(from, all.size());
        return all.subList(begin, Math.min(all.size(), begin + count));
    }

    private void write(ServingListener listener) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", listener.name());
        to.writeStringField("address", listener.address());
        to.writeStringField("protocol", listener.protocol());
        to.writeStringField("tls", listener.tls());
        to.writeEndObject();
    }

    private void write(ServingCertificate certificate) throws IOException {
        to.writeStartObject();
        to.writeStringField("listener", certificate.listener());
        to.writeStringField("subject", certificate.subject());
        texts("names", certificate.names());
        to.writeNumberField("expires", certificate.expires().toEpochMilli());
        to.writeEndObject();
    }

    /// Some of the routes that have a text.
    static String routes(ServingProxy serving, String find, int from, int count) {
        var found = serving.routes().stream().filter(route -> route.has(find)).toList();
        return text(json -> json.routes(serving, found, from, count));
    }

    private void routes(ServingProxy serving, List<ServingRoute> found, int from, int count) throws IOException {
        to.writeStartObject();
        to.writeNumberField("all", serving.routes().size());
        to.writeNumberField("found", found.size());
        to.writeNumberField("from", from);
        to.writeArrayFieldStart("routes");
        for (var route : part(found, from, count)) {
            to.writeStartObject();
            to.writeStringField("name", route.name());
            texts("listeners", route.listeners());
            texts("hosts", route.hosts());
            to.writeStringField("match", route.match());
            to.writeStringField("action", route.action());
            to.writeStringField("target", route.target());
            to.writeEndObject();
        }
        to.writeEndArray();
        to.writeEndObject();
    }

    /// The first ones of a list, and how many more there are.
    private void texts(String name, List<String> all) throws IOException {
        to.writeArrayFieldStart(name);
        for (var text : all.subList(0, Math.min(all.size(), MOST_NAMES))) to.writeString(text);
        if (all.size() > MOST_NAMES) to.writeString("and " + (all.size() - MOST_NAMES) + " more");
        to.writeEndArray();
    }

    /// An array, oldest first.
    static String journal(List<ProxyEvent> events) {
        return text(json -> {
            json.to.writeStartArray();
            for (var event : events) json.write(event);
            json.to.writeEndArray();
        });
    }

    private void write(ProxyEvent event) throws IOException {
        to.writeStartObject();
        to.writeNumberField("since", event.sinceMillis());
        to.writeNumberField("time", event.millis());
        to.writeStringField("kind", event.kind().word());
        to.writeBooleanField("trouble", event.isTrouble());
        to.writeStringField("what", event.what());
        to.writeStringField("who", event.who());
        to.writeNumberField("times", event.times());
        to.writeEndObject();
    }

    private void moment(LoadSample moment) throws IOException {
        to.writeStartObject();
        to.writeNumberField("time", moment.epochMillis());
        to.writeObjectFieldStart("requestsPerSecond");
        for (int i = 0; i < LoadSample.STATUSES.length; i++) number(LoadSample.STATUSES[i], moment.statuses()[i]);
        number("cut", moment.cut());
        to.writeEndObject();
        to.writeObjectFieldStart("latencyMicros");
        for (int i = 0; i < LoadSample.QUANTILES.length; i++) number(LoadSample.QUANTILES[i], moment.micros()[i]);
        to.writeEndObject();
        number("receivedBytesPerSecond", moment.receivedBytes());
        number("sentBytesPerSecond", moment.sentBytes());
        to.writeNumberField("connections", moment.connections());
        number("busiestLoop", moment.busy());
        to.writeObjectFieldStart("memoryBytes");
        var memory = moment.memory();
        to.writeNumberField("connections", memory.connections());
        to.writeNumberField("pool", memory.pool());
        to.writeNumberField("heapUsed", memory.heapUsed());
        to.writeNumberField("heapFree", memory.heapFree());
        to.writeNumberField("resident", memory.resident());
        to.writeEndObject();
        to.writeEndObject();
    }

    private void write(Sample.OfLoop loop) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", loop.name());
        to.writeNumberField("connections", loop.connections());
        number("busy", loop.busy());
        number("receivedBytesPerSecond", loop.receivedBytes());
        number("sentBytesPerSecond", loop.sentBytes());
        to.writeNumberField("accepted", loop.accepted());
        to.writeNumberField("failed", loop.failed());
        to.writeNumberField("stalls", loop.stalls());
        to.writeEndObject();
    }

    private void write(Sample.OfUpstream upstream) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", upstream.name());
        to.writeNumberField("layer", upstream.layer());
        to.writeNumberField("retries", upstream.retries());
        to.writeNumberField("webSockets", upstream.webSockets());
        to.writeNumberField("more", upstream.more());
        to.writeArrayFieldStart("backends");
        for (var backend : upstream.backends()) write(backend);
        to.writeEndArray();
        to.writeEndObject();
    }

    private void write(Sample.OfBackend backend) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", backend.name());
        to.writeStringField("state", backend.state().name().toLowerCase(Locale.ROOT));
        to.writeStringField("why", backend.why());
        to.writeNumberField("weight", backend.weight());
        to.writeNumberField("priority", backend.priority());
        to.writeStringField("zone", backend.zone());
        number("requestsPerSecond", backend.rate());
        number("failuresPerSecond", backend.failing());
        to.writeNumberField("requests", backend.requests());
        to.writeNumberField("failures", backend.failures());
        to.writeNumberField("active", backend.active());
        to.writeNumberField("waiting", backend.waiting());
        to.writeNumberField("ejections", backend.ejections());
        number("p50Micros", backend.p50Micros());
        number("p99Micros", backend.p99Micros());
        to.writeEndObject();
    }

    private void write(Sample.OfGuard guard) throws IOException {
        to.writeStartObject();
        to.writeStringField("name", guard.name());
        to.writeNumberField("count", guard.count());
        to.writeNumberField("lately", guard.lately());
        to.writeStringField("last", guard.lastly());
        to.writeEndObject();
    }

    /// With three decimals.
    private void number(String name, double value) throws IOException {
        if (Double.isNaN(value)) to.writeNullField(name);
        else to.writeNumberField(name, Math.round(value * 1000) / 1000.0);
    }
}
