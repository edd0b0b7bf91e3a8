"""Run one answer: read the source, feed the pipeline, send the messages."""
