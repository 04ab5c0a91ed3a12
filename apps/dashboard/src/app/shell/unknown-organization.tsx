import { Anchor, List } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../api/session/use-session.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import classes from "./shell.module.css";

/** What the address of an organization shows that is not there, or that the person may not see. Both look the same. */
export function UnknownOrganization() {
  const { data: session } = useSession();
  const organizations = session?.organizations ?? [];
  return (
    <main className={classes.alone}>
      <EmptyState
        title="There is no such organization"
        level={1}
        action={
          organizations.length > 0 ? (
            <List spacing="xs">
              {organizations.map(({ id, name }) => (
                <List.Item key={id}>
                  <Anchor renderRoot={(props) => <Link {...props} to="/o/$org" params={{ org: id }} />}>{name}</Anchor>
                </List.Item>
              ))}
            </List>
          ) : null
        }
      >
        It may have been deleted, or you are signed in as {session?.member?.email ?? "the operator"} and are not a
        member of it. {organizations.length > 0 ? "These are your organizations:" : null}
      </EmptyState>
    </main>
  );
}
