-- The ingestion log of an organization is in PostgreSQL (ingest_log) or in a stream of NATS JetStream, and can be moved.
-- One row for each log that it had, in the order of `number`. Without a row it is in PostgreSQL and always was.
create table log_placements (
  organization_id text not null,
  number integer not null,
  kind text not null check (kind in ('postgres', 'nats')),
  stream text,
  -- When the stream was created, as NATS says it. Another time means that it is another stream with the same name.
  stream_created text,
  -- The position of a message is this number and its sequence in the stream.
  base bigint not null default 0,
  -- Messages up to this sequence are of an earlier time when the organization was in the same stream.
  after_sequence bigint not null default 0,
  -- Since this time nothing new is written, because the log is being moved.
  closing_at timestamptz,
  -- The last position in each lane. Later ones are in the next log. Null: this log is the present one.
  until jsonb,
  primary key (organization_id, number)
);

-- `is_elsewhere`: the batches are appended to another log, and the row says how far that is known here.
-- `behind_since`: when the first batch was received that came while nothing waited, for logs elsewhere.
alter table log_heads add column is_elsewhere boolean not null default false, add column behind_since timestamptz;

-- For batches of a log elsewhere: the position of each part that was read, and how many parts the batch has.
alter table ingest_receipts add column parts jsonb;
