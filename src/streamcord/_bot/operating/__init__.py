"""What an operator needs besides the bot itself: waiting for Discord, health, backups, rights on disk."""
