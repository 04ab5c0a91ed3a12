import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../../api/session/use-organization.js";

/** The place in an id that holds the type of its object: two digits after the time. */
const TYPE_AT = 12;
const SCREENS: Record<string, string> = { "10": "/o/$org/users/$id", "11": "/o/$org/accounts/$id" };

/** Leads to the user or account that a message is about. Other objects are only named. */
export function SubjectLink({ id, name = id }: { id: string; name?: string | undefined }) {
  const { id: org } = useOrganization();
  const screen = SCREENS[id.slice(TYPE_AT, TYPE_AT + 2)];
  if (screen === undefined) return <Text component="span">{id}</Text>;
  return (
    <Anchor component={Link} size="sm" to={screen} params={{ org, id } as never}>
      {name}
    </Anchor>
  );
}
