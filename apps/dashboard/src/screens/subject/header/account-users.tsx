import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { subjectName } from "../../../api/audience/subject-name.js";
import { useAccountUsers } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatCount } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";

/** The users of an account. */
export function AccountUsers({ id }: { id: string }) {
  const { id: org } = useOrganization();
  const users = useAccountUsers(id);
  if (users.isError) return <ErrorNote error={users.error} onRetry={() => void users.refetch()} />;
  if (!users.data) return null;
  const { data, pagination } = users.data;
  return (
    <Stack gap={4} mb="lg" component="section" aria-label="Users of the account">
      <Title order={2}>{formatCount(pagination.total, "user")}</Title>
      {data.length === 0 ? <Text c="dimmed">No user is linked to this account.</Text> : null}
      {data.map((user) => (
        <Group key={user.id} justify="space-between" wrap="nowrap">
          <Anchor component={Link} to={`/o/${org}/users/${user.id}`} size="sm" truncate>
            {subjectName(user)}
          </Anchor>
          <Text c="dimmed" size="xs" flex="none">
            seen <TimeText time={String(user.last_seen_at ?? "")} />
          </Text>
        </Group>
      ))}
      {pagination.total > data.length ? (
        <Text c="dimmed">The {data.length} that were seen last. The list of users has all of them.</Text>
      ) : null}
    </Stack>
  );
}
