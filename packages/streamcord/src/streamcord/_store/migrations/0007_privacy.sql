-- Who changed what, for a server's moderators; the newest rows of each server are kept.
CREATE TABLE audit_log (
    guild BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX audit_log_by_guild ON audit_log (guild, created_at);
CREATE INDEX audit_log_by_user ON audit_log (user_id);

-- Users whose answers must not be remembered.
CREATE TABLE memory_opt_outs (
    user_id BIGINT PRIMARY KEY,
    created_at DOUBLE PRECISION NOT NULL
);
