CREATE TABLE settings (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (guild, channel, name)
);

-- The persona that was chosen for a channel or server. It may be defined in the bot's configuration only, so
-- this is no foreign key.
CREATE TABLE persona_choices (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    persona TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (guild, channel)
);
