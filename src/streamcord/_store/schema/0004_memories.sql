-- An answer is known by its first message.
CREATE TABLE memories (
    id BIGINT PRIMARY KEY,
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    persona TEXT NOT NULL,
    name TEXT NOT NULL,
    person BIGINT NOT NULL,
    body TEXT NOT NULL,
    details TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX memories_by_place ON memories (guild, persona, channel, id);
CREATE INDEX memories_by_person ON memories (person);

CREATE TABLE memory_messages (
    message BIGINT PRIMARY KEY,
    memory BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE
);

CREATE INDEX memory_messages_by_memory ON memory_messages (memory);
