-- At most one row: while it is there, no connector is called. A restore writes it, because the server that the backup
-- was made of may still send the same messages.
create table held_calls (
  is_held boolean primary key default true check (is_held),
  backup_of timestamptz not null,
  since timestamptz not null default now()
);
