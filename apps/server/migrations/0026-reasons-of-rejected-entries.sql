-- Why an entry was rejected, without the values of that entry: equal reasons are one group in lists.
alter table rejected_entries add column reason text not null default '';

-- The same as `generalReason` in the server makes of new messages.
update rejected_entries
set reason = left(
  rtrim(
    split_part(
      translate(
        regexp_replace(
          regexp_replace(
            regexp_replace(message, 'attribute "([^"]*)"', 'attribute «\1»', 'g'),
            '"[^"]*"', '"…"', 'g'
          ),
          '\m[0-9a-f]{24}\M', '…', 'g'
        ),
        '«»', '""'
      ),
      '. ', 1
    ),
    '.'
  ),
  300
) || '.';

create index rejected_entries_by_reason on rejected_entries (organization_id, code, reason, id);
