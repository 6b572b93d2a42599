package io.millrace.lab.load;

/// What came back cannot be understood, and its connection is of no use any more. Its message is a sentence; it
/// carries no stack trace, because servers cause it.
final class BadAnswer extends Exception {
    private static final long serialVersionUID = 1;

    BadAnswer(String sentence) {
        super(sentence, null, false, false);
    }
}
