package io.millrace.proxy.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.proxy.admin.Sample.LoadSample;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Samples as JSON. Missing numbers, such as latencies without requests, are `null`.
final class AdminJson {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

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

    /// @param changes the changes that are possible; none without a token
    static String of(Sample sample, long startMillis, Set<AdminChange> changes) {
        return text(json -> json.sample(sample, startMillis, changes));
    }

    private void sample(Sample sample, long startMillis, Set<AdminChange> changes) throws IOException {
        to.writeStartObject();
        to.writeNumberField("started", startMillis);
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
