-- Every file of this folder is run by SQLite and by PostgreSQL.

CREATE TABLE personas (
    guild BIGINT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    alter_ego BOOLEAN NOT NULL,
    prompt TEXT NOT NULL,
    greeting TEXT NOT NULL,
    card TEXT NOT NULL,
    -- Copied from the tags of the card, which is too large to be parsed for every message.
    adult BOOLEAN NOT NULL,
    PRIMARY KEY (guild, key)
);

-- The sprite with an empty key is the persona's base avatar.
CREATE TABLE sprites (
    guild BIGINT NOT NULL,
    persona TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    identity BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (guild, persona, key),
    FOREIGN KEY (guild, persona) REFERENCES personas (guild, key) ON UPDATE CASCADE ON DELETE CASCADE
);
