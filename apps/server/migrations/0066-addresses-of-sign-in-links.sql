-- In lower case: the address that the member had when the link was made, to which the link was sent when it is mailed. A link
-- works only while the member has this address, because a mailed one shows that the address belongs to the member. Null: a
-- mailed link of an older version, which does not work any more. Nobody can tell where it was sent.
alter table sign_in_links add column email text;

update sign_in_links l
set email = lower(m.email)
from members m
where m.id = l.member_id and not l.is_mailed;
