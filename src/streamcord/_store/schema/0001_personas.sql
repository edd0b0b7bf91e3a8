-- Every file of this folder is read by SQLite and by PostgreSQL alike.

CREATE TABLE personas (
    guild BIGINT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    alter_ego BOOLEAN NOT NULL,
    prompt TEXT NOT NULL,
    greeting TEXT NOT NULL,
    card TEXT NOT NULL,
    PRIMARY KEY (guild, key)
);

-- The look with an empty key is the base look.
CREATE TABLE looks (
    guild BIGINT NOT NULL,
    persona TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    identity BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    kind TEXT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (guild, persona, key),
    FOREIGN KEY (guild, persona) REFERENCES personas (guild, key) ON UPDATE CASCADE ON DELETE CASCADE
);
