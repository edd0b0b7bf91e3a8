-- Requests to models by day (days since 1970 in UTC), for a person, a server, or all together (id 0).
-- Money is in millionths of the currency of the configured prices.
CREATE TABLE spending (
    day BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    money BIGINT NOT NULL,
    PRIMARY KEY (day, kind, id)
);
