-- The values of computed attributes follow from the changes up to this one. They may be behind what the question engine has.
alter table project_cursors add column computed_until bigint not null default 0;

update project_cursors set computed_until = sequence;
