-- What running answers have received and sent, so that another process can resume them.
CREATE TABLE journal (
    turn TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    written_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (turn, number)
);

-- Which process took a question, and whether it is answered. Several bots may share a database and be
-- mentioned in the same message, so the bot is part of the key.
CREATE TABLE questions (
    bot BIGINT NOT NULL,
    message BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    owner TEXT NOT NULL,
    done BOOLEAN NOT NULL,
    taken_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (message, bot)
);

CREATE INDEX questions_by_age ON questions (taken_at);

-- The newest message that was received in each channel; guild 0 is a direct message.
CREATE TABLE channel_cursors (
    channel BIGINT PRIMARY KEY,
    guild BIGINT NOT NULL,
    message BIGINT NOT NULL,
    received_at DOUBLE PRECISION NOT NULL
);

-- Which process answers for a bot, and its last heartbeat.
CREATE TABLE bot_leases (
    bot BIGINT PRIMARY KEY,
    owner TEXT NOT NULL,
    heartbeat_at DOUBLE PRECISION NOT NULL
);
