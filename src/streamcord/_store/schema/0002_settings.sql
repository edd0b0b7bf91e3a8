CREATE TABLE settings (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (guild, channel, name)
);

-- Which persona speaks in a place. It may be one that only the bot's configuration knows.
CREATE TABLE choices (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    persona TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (guild, channel)
);
