package io.millrace.proxy.configuration.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Changes files as tired people do, and worse ones.
final class Mutations {
    private static final List<String> VALUES = List.of(
            "0",
            "-1",
            "1.5",
            "true",
            "~",
            "''",
            "\"a b\"",
            "[]",
            "{}",
            "[a]",
            "{a: b}",
            "99999999999999999999",
            "5s",
            "1KiB",
            "*",
            "&a b",
            "*a",
            "!x y",
            "${VALUE}",
            "${NONE}",
            "a: b",
            "- a",
            "|",
            "tcp",
            "/a/{b}",
            "10.0.0.0/8",
            "ä");

    private Mutations() {}

    static String of(String text, Random random) {
        var lines = new ArrayList<>(text.lines().toList());
        for (int times = 1 + random.nextInt(3); times > 0; times--) change(lines, random);
        return String.join("\n", lines);
    }

    private static void change(List<String> lines, Random random) {
        int at = random.nextInt(lines.size());
        var line = lines.get(at);
        switch (random.nextInt(6)) {
            case 0 -> lines.set(at, "");
            case 1 -> lines.add(at, line);
            case 2 -> lines.set(at, "  " + line);
            case 3 ->
                lines.set(
                        at,
                        line.replaceFirst(
                                ":.*",
                                ": " + VALUES.get(random.nextInt(VALUES.size())).replace("$", "\\$")));
            case 4 -> lines.set(at, lines.get(random.nextInt(lines.size())));
            default -> {
                int end = random.nextInt(line.length() + 1);
                lines.set(at, line.substring(0, end) + line.substring(Math.min(line.length(), end + 1)));
            }
        }
    }
}
