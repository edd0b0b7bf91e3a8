-- The id of an answer is that of its first message.
CREATE TABLE memories (
    id BIGINT PRIMARY KEY,
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    persona TEXT NOT NULL,
    name TEXT NOT NULL,
    user_id BIGINT NOT NULL,
    text TEXT NOT NULL,
    details TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX memories_by_place ON memories (guild, persona, channel, id);
CREATE INDEX memories_by_user ON memories (user_id);
CREATE INDEX memories_by_age ON memories (created_at);

CREATE TABLE memory_messages (
    message BIGINT PRIMARY KEY,
    memory BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE
);

CREATE INDEX memory_messages_by_memory ON memory_messages (memory);
