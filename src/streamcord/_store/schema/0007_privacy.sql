-- Who changed what, for whoever runs a server; bounded, and forgotten with the server.
CREATE TABLE changes (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    person BIGINT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX changes_by_server ON changes (guild, at);
CREATE INDEX changes_by_person ON changes (person);

-- People who do not want answers to them to be remembered.
CREATE TABLE refusals (
    person BIGINT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX memories_by_age ON memories (at);
