-- The address that a job was requested with may have credentials. The server seals those that are stored as they were
-- given when it starts.
alter table jobs add column sealed_url bytea;

-- Connectors may have answered with what they were sent. From now on their secrets are taken out of answers.
update dead_letters
set answer = jsonb_set(answer, '{body}', '""')
where answer ->> 'body' ~ 'secret|private_settings|configuration';
