-- Since when all subjects are to be compared with a segment again, although its query is the same: because of an account
-- with very many users, or a long chain of segments.
alter table segments add column scan_requested_at timestamptz;
