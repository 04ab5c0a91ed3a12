-- The SHA-256 of each migration as it was run. The server refuses to start when a file was edited afterwards, because the
-- database then has another schema than the files say.
alter table migrations add column checksum text;
