"""The way out, for any transport: a queue, a pace, retries, receipts."""
