-- When a sprite is used, and settings that apply to one persona only (a JSON object).

ALTER TABLE sprites ADD COLUMN instruction TEXT NOT NULL DEFAULT '';
ALTER TABLE personas ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
