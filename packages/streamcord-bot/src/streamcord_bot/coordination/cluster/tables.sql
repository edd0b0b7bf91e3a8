-- The tables of a cluster, and triggers that notify every process of a change to what `read_cache.py` caches.
CREATE SEQUENCE IF NOT EXISTS cluster_fence;
CREATE TABLE IF NOT EXISTS clusters (
    bot BIGINT PRIMARY KEY, version INT NOT NULL, shards INT NOT NULL,
    spent_until TIMESTAMPTZ NOT NULL, stopped_until TIMESTAMPTZ, reason TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS cluster_members (
    name TEXT PRIMARY KEY, bot BIGINT NOT NULL, role TEXT NOT NULL, heartbeats BIGINT NOT NULL,
    ready BOOLEAN NOT NULL, leaving BOOLEAN NOT NULL, turns INT NOT NULL,
    heartbeat_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE IF NOT EXISTS cluster_shards (
    bot BIGINT NOT NULL, shard INT NOT NULL, owner TEXT NOT NULL, fence BIGINT NOT NULL,
    heartbeat_at TIMESTAMPTZ,
    session TEXT NOT NULL DEFAULT '', sequence BIGINT NOT NULL DEFAULT 0, gateway TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (bot, shard)
);
CREATE TABLE IF NOT EXISTS cluster_channels (
    channel BIGINT PRIMARY KEY, bot BIGINT NOT NULL, shard INT NOT NULL, owner TEXT NOT NULL,
    fence BIGINT NOT NULL, wanted BOOLEAN NOT NULL DEFAULT FALSE, user_id BIGINT NOT NULL DEFAULT 0,
    guild BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS cluster_channels_by_owner ON cluster_channels (owner);
CREATE TABLE IF NOT EXISTS cluster_questions (
    message BIGINT PRIMARY KEY, channel BIGINT NOT NULL, user_id BIGINT NOT NULL, owner TEXT NOT NULL,
    done BOOLEAN NOT NULL, taken_at DOUBLE PRECISION NOT NULL, started_at TIMESTAMPTZ
);
CREATE INDEX IF NOT EXISTS cluster_questions_by_age ON cluster_questions (taken_at);
CREATE INDEX IF NOT EXISTS cluster_questions_by_user ON cluster_questions (user_id, started_at);
CREATE TABLE IF NOT EXISTS cluster_identifies (
    bot BIGINT NOT NULL, key INT NOT NULL, free_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (bot, key)
);
CREATE OR REPLACE FUNCTION streamcord_notify_change() RETURNS trigger LANGUAGE plpgsql AS $tell$
BEGIN
    PERFORM pg_notify('streamcord_changed', TG_TABLE_NAME);
    RETURN NULL;
END
$tell$;
DO $make$
DECLARE
    cached TEXT;
BEGIN
    FOREACH cached IN ARRAY ARRAY['settings', 'personas', 'sprites', 'persona_choices', 'memory_opt_outs'] LOOP
        IF NOT EXISTS (
            SELECT 1 FROM pg_trigger WHERE tgname = 'notify_change' AND tgrelid = cached::regclass
        ) THEN
            EXECUTE format(
                'CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I '
                'FOR EACH STATEMENT EXECUTE FUNCTION streamcord_notify_change()', cached
            );
        END IF;
    END LOOP;
END
$make$;
