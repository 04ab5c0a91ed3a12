-- What the question engine holds of an organization must carry this generation. Giving a new one asks for everything to be
-- written anew; an engine that was lost, or was filled from another database, carries none or another.
alter table project_cursors add column generation text not null default gen_random_uuid()::text;

-- How far a rebuild has come is kept by the engine, with what it has written.
alter table rebuilds
  drop column phase,
  drop column kind,
  drop column after_id,
  drop column documents,
  drop column until_sequence;
