-- The speaker label (`Luna (mad): `) under which a message was sent.
CREATE TABLE message_labels (
    message BIGINT PRIMARY KEY,
    label TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX message_labels_by_age ON message_labels (created_at);

-- The Markdown of a table that a message shows as an image.
CREATE TABLE table_sources (
    message BIGINT PRIMARY KEY,
    source TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX table_sources_by_age ON table_sources (created_at);
