-- What was asked of models, by day (counted from 1970 in UTC): for a person, a server, or everybody (id 0).
-- Money is in millionths of whatever the prices are in.
CREATE TABLE spending (
    day BIGINT NOT NULL,
    kind TEXT NOT NULL,
    id BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    money BIGINT NOT NULL,
    PRIMARY KEY (day, kind, id)
);
