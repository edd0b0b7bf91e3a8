"""The gateway: WebSocket connections and sessions."""
