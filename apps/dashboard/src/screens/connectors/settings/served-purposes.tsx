import { Alert, MultiSelect, Stack } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { usePurposes } from "../../../api/organization/use-purposes.js";
import { notifyOutcome } from "../../../ui/notes/notify-done.js";

/** The purposes that a connector serves. Nothing is shown while the organization has none. */
export function ServedPurposes({ connector, mayEdit }: { connector: Connector; mayEdit: boolean }) {
  const { data: purposes = [] } = usePurposes();
  const update = useUpdateConnector(connector.id);
  if (purposes.length === 0) return null;
  const save = (names: string[]) =>
    notifyOutcome(update.mutateAsync({ purposes: names }), "Purposes saved", () =>
      update.mutateAsync({ purposes: connector.purposes }),
    );
  return (
    <Stack gap="xs">
      <MultiSelect
        label="Purposes that it serves"
        description="It is told only about users who have agreed to all of them. What is withheld is in its figures and on the timelines of the users."
        data={purposes.map(({ name }) => name)}
        value={connector.purposes}
        onChange={save}
        disabled={!mayEdit || update.isPending}
        searchable
      />
      {connector.purposes.length === 0 ? <ServesEverything /> : null}
    </Stack>
  );
}

function ServesEverything() {
  return (
    <Alert color="yellow" variant="light" role="status">
      It serves no purpose, so it is told about everybody, whatever people have agreed to.
    </Alert>
  );
}
