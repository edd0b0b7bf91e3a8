-- Texts that an answer had or can have; the one that is shown is also the text of the memory.

CREATE TABLE memory_variants (
    memory BIGINT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (memory, number)
);
