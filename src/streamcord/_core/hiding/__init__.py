"""What is hidden stays hidden, although Discord reads some marks otherwise than we do."""
