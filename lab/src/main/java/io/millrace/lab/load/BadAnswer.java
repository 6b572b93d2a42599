package io.millrace.lab.load;

/// What came back cannot be read, and its connection cannot be used further. Its message is a sentence; it
/// carries no stack trace, because servers cause it.
final class BadAnswer extends Exception {
    private static final long serialVersionUID = 1;

    BadAnswer(String sentence) {
        super(sentence, null, false, false);
    }
}
