"""Record what was received, planned and sent, so that another process can resume an answer."""
