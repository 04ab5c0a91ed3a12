-- The streams of NATS that hold ingestion logs. A stream that ends before a sequence that it has given once was truncated.
create table log_streams (
  name text not null,
  created text not null,
  -- The highest sequence that was acknowledged or applied, as far as it was noted.
  known_sequence bigint not null default 0,
  truncated_at timestamptz,
  -- Where the stream ended when that was noticed.
  found_sequence bigint,
  primary key (name, created)
);

insert into log_streams (name, created, known_sequence)
select p.stream, p.stream_created,
  greatest(0, max(p.after_sequence), max(greatest(h.position, c.position) - p.base) filter (where p.until is null))
from log_placements p
left join log_heads h using (organization_id)
left join apply_cursors c using (organization_id, lane)
where p.stream is not null
group by p.stream, p.stream_created;

-- Where the log goes on after the present one is closed.
alter table log_placements add column closing_to text check (closing_to in ('postgres', 'nats'));
