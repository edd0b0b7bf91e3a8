CREATE TABLE sprite_messages (
    message BIGINT PRIMARY KEY,
    label TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX sprite_messages_by_age ON sprite_messages (at);

CREATE TABLE table_sources (
    message BIGINT PRIMARY KEY,
    source TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX table_sources_by_age ON table_sources (at);
