package io.millrace.cli;

import io.millrace.Dispatch;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// `loop`, `virtual` or `pool:N`.
final class ToDispatch implements ITypeConverter<Dispatch> {
    private static final String POOL = "pool:";

    @Override
    public Dispatch convert(String text) {
        if (text.startsWith(POOL))
            return Dispatch.pool(new CountOption.OfThreads().convert(text.substring(POOL.length())));
        return switch (text) {
            case "loop" -> Dispatch.loop();
            case "virtual" -> Dispatch.virtual();
            default ->
                throw new TypeConversionException(
                        "'" + text + "' is not one of its values: use loop, virtual or pool:4");
        };
    }
}
