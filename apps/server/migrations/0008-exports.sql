-- Exports are jobs too: they tell a connector about users or accounts that somebody chose.
alter table jobs drop constraint jobs_type_check;
alter table jobs add constraint jobs_type_check check (type in ('import', 'extract', 'export'));
