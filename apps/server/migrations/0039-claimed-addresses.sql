-- A stranger can take an address that nobody has proved, by accepting an invitation of another organization. Several members
-- may therefore claim one address, until one of them proves it. An operator's address counts as proved.
drop index members_by_email;

create index members_by_email on members (lower(email));

create unique index members_by_proved_email on members (lower(email)) where email_proved_at is not null or is_operator;
