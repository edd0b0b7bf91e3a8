-- What running answers have said and sent, so that another process can go on.
CREATE TABLE journal (
    turn TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (turn, number)
);

-- Which questions were taken, by whom, and whether they are answered.
CREATE TABLE questions (
    message BIGINT PRIMARY KEY,
    channel BIGINT NOT NULL,
    person BIGINT NOT NULL,
    owner TEXT NOT NULL,
    done BOOLEAN NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX questions_by_age ON questions (at);

-- The newest message that was heard in each channel; server 0 is a direct message.
CREATE TABLE cursors (
    channel BIGINT PRIMARY KEY,
    guild BIGINT NOT NULL,
    message BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

-- Which process answers for a bot, and when it last said so.
CREATE TABLE leases (
    bot BIGINT PRIMARY KEY,
    owner TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);
