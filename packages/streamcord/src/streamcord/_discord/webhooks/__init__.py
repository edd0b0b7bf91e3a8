"""Send messages as personas through webhooks."""
