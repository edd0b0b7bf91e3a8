"""Running the bot: checks, health, metrics, backups, connectivity."""
