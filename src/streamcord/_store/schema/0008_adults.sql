-- Whether a persona is for adults, so that nobody has to read its card to know. What was kept before is taken
-- to be if its card has the tag anywhere.
ALTER TABLE personas ADD COLUMN adult BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE personas SET adult = TRUE WHERE lower(card) LIKE '%"nsfw"%';
