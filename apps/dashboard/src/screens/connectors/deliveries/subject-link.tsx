import { Text } from "@mantine/core";
import { useOrganization } from "../../../api/session/use-organization.js";
import { TextLink } from "../../../ui/page/text-link.js";

/** The place in an id that holds the type of its object: two digits after the time. */
const TYPE_AT = 12;
const SCREENS = new Map<string, "/o/$org/users/$id" | "/o/$org/accounts/$id">([
  ["10", "/o/$org/users/$id"],
  ["11", "/o/$org/accounts/$id"],
]);

/** Leads to the user or account that a message is about. Other objects are only named. */
export function SubjectLink({ id, name = id }: { id: string; name?: string | undefined }) {
  const { id: org } = useOrganization();
  const screen = SCREENS.get(id.slice(TYPE_AT, TYPE_AT + 2));
  if (screen === undefined) return <Text component="span">{id}</Text>;
  return (
    <TextLink to={screen} params={{ org, id }}>
      {name}
    </TextLink>
  );
}
