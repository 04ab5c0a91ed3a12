-- Only erasures looked identifiers up by their owner, and every new identifier paid for that. The state of a profile has
-- its identifiers, and an erasure deletes them by their primary key.
drop index user_identifiers_by_user;
drop index account_identifiers_by_account;
