package io.millrace.proxy.announce;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.Stage;

/// Bytes as they are, behind those it begins with.
///
/// @param beginning sent first
public record PassingLink(Bytes beginning) implements Stage.Link {
    @Override
    public void open(Output wire) {
        wire.write(beginning);
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void receive(Input in, Output app, Output wire) {
        app.move(in);
    }

    @Override
    public void send(Input in, Output wire) {
        wire.move(in);
    }
}
