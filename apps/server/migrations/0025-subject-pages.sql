-- Why two subjects were merged: the identifier that a record named, the time of the record, and who sent it. Null for
-- merges from before it was kept.
alter table merges add column cause json;

-- Who wrote a comment that was not written in the name of a user: an operator, a member or a connector.
alter table comments add column author_name text;
