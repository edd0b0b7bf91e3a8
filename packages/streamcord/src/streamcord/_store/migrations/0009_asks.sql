-- Questions with buttons: one row each. A press changes the state from open to decided, which only one can;
-- the turn that acts on the decision changes it to taken, acting and done.
CREATE TABLE asks (
    id TEXT PRIMARY KEY,
    bot BIGINT NOT NULL,
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    message BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    -- JSON: the question, what its owner needs to act on the decision, and the decision.
    ask TEXT NOT NULL,
    about TEXT NOT NULL,
    decision TEXT NOT NULL,
    -- The journal's turn that acts on the decision.
    turn TEXT NOT NULL,
    -- What the decision allows from now on in this channel; empty for nothing.
    allows TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX asks_by_state ON asks (state, bot);
CREATE INDEX asks_by_channel ON asks (channel);
CREATE INDEX asks_by_user ON asks (user_id);
