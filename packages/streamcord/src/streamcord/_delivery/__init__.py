"""Send planned messages: queue, timing, retries. Knows no Discord library."""
