-- What people wrote that names an erased subject and was left for their decision: kinds and ids, and no text.
alter table erasures add column left_mentions jsonb not null default '[]';

-- Every entry of the audit log looks for its object here.
create index erasures_by_left_mention on erasures using gin (left_mentions jsonb_path_ops)
where left_mentions <> '[]';
