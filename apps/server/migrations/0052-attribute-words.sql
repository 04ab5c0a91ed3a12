-- How people call an attribute, and what it means. Its name stays: clients write it, and segments ask for it.
alter table attribute_definitions add column label text not null default '';
alter table attribute_definitions add column description text not null default '';
