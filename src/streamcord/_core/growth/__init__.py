"""A message that grows: where a line may be shown before it ends, and what is shown of an answer so far."""
