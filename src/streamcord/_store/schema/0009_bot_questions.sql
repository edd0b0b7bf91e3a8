-- Which questions were taken, by which bot: several may share a store, and be named in one message.
-- The processes of a cluster are one bot, and stay with the table from before. Bot 0 is from before, too.
CREATE TABLE bot_questions (
    bot BIGINT NOT NULL,
    message BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    person BIGINT NOT NULL,
    owner TEXT NOT NULL,
    done BOOLEAN NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (message, bot)
);

CREATE INDEX bot_questions_by_age ON bot_questions (at);

INSERT INTO bot_questions SELECT 0, message, channel, person, owner, done, at FROM questions;
