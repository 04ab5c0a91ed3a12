-- Events keep the name that they came with when it was merged into another, so that a merge can be undone. Events that came
-- after an earlier merge do not know their name.
alter table event_plans add column keeps_sent_names boolean not null default false;
