"""Speaking as somebody else: webhooks, their names, pictures, limits and unconfirmed."""
