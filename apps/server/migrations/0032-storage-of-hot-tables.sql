-- Profiles are written again and again, often all of a page at once. With half of each page free, the new version of a
-- row fits beside the old one, so no index changes, and the next read of the page removes the old version. Without the
-- free half a table under load grew to the same size, and two of three updates wrote to the indexes. Vacuum is needed
-- only for what this leaves over.
alter table users set (fillfactor = 50, autovacuum_vacuum_scale_factor = 1, autovacuum_analyze_scale_factor = 0.5);
alter table accounts set (fillfactor = 50, autovacuum_vacuum_scale_factor = 1, autovacuum_analyze_scale_factor = 0.5);

-- These values are compressed before they come here. To try it again only takes time.
alter table changes alter column payload set storage external;
alter table ingest_log alter column payload set storage external;
alter table message_batches alter column payload set storage external;

-- Rows of queues live for seconds. Their tables stay small only when they are cleaned long before a fifth of the largest
-- size that they ever had is dead.
alter table outbox set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
alter table message_batches set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
