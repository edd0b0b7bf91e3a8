"""One answer: from the question to the last button below it."""
