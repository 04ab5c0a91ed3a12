import { Stack, Title } from "@mantine/core";
import type { Event } from "@muster/protocol/api/events";
import { useOrganization } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { Facts } from "../../../ui/page/facts.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { sourceInWords } from "../names/sources-in-words.js";

interface EventPanelProps {
  event: Event | undefined;
  names: ReadonlyMap<string, string>;
  /** For an event about changed attributes: what changed, in words. */
  changes: Record<string, string> | undefined;
  onClose: () => void;
}

/** One stored event with everything that it has. */
export function EventPanel({ event, names, changes, onClose }: EventPanelProps) {
  return (
    <SidePanel title={event?.event} onClose={onClose}>
      {event ? <Details event={event} names={names} changes={changes} /> : null}
    </SidePanel>
  );
}

interface DetailsProps extends Pick<EventPanelProps, "names" | "changes"> {
  event: Event;
}

function Details({ event, names, changes }: DetailsProps) {
  const { id: org } = useOrganization();
  const { user_id, account_id, session_id } = event;
  return (
    <Stack>
      <Facts
        facts={[
          { name: "Happened", value: <TimeText time={event.created_at} /> },
          ...(user_id === ""
            ? []
            : [
                {
                  name: "User",
                  value: (
                    <TextLink to="/o/$org/users/$id" params={{ org, id: user_id }}>
                      {names.get(user_id) ?? user_id}
                    </TextLink>
                  ),
                },
              ]),
          ...(account_id === null
            ? []
            : [
                {
                  name: "Account",
                  value: (
                    <TextLink to="/o/$org/accounts/$id" params={{ org, id: account_id }}>
                      {names.get(account_id) ?? account_id}
                    </TextLink>
                  ),
                },
              ]),
          { name: "Source", value: sourceInWords(event.event_source) },
          ...(session_id === null ? [] : [{ name: "Session", value: session_id }]),
          { name: "Event id", value: event.event_id },
        ]}
      />
      {changes ? (
        <>
          <Title order={2}>Changes</Title>
          <Facts facts={Object.entries(changes).map(([name, value]) => ({ name, value }))} />
        </>
      ) : (
        <>
          <Title order={2}>Properties</Title>
          <CodeEditor value={JSON.stringify(event.properties, null, 2)} language="json" label="Properties" isReadOnly />
        </>
      )}
      <Title order={2}>Context</Title>
      <CodeEditor value={JSON.stringify(event.context, null, 2)} language="json" label="Context" isReadOnly />
    </Stack>
  );
}
