"""Who may do what: what a server may set, whom the bot answers, and what people may let it do."""
