import { Stack, Switch, Title } from "@mantine/core";
import type { Organization } from "@muster/protocol/api/organizations";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changeObject, readObject } from "../../../api/client.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";

/** Whether an email that a visitor types identifies the visitor. It says what that risks. */
export function JoinByHints({ id, mayChange }: { id: string; mayChange: boolean }) {
  const queries = useQueryClient();
  const queryKey = [id, "organization"];
  const { data } = useQuery({ queryKey, queryFn: ({ signal }) => readObject<Organization>(id, signal) });
  const change = useMutation({
    mutationFn: (joins: boolean) => changeObject<Organization>(id, { join_by_hints: joins }),
    onSuccess: async (_record, joins) => {
      await queries.invalidateQueries({ queryKey });
      notifyDone(joins ? "Visitors are joined by hints" : "Only proof joins visitors and users", () =>
        change.mutate(!joins),
      );
    },
    onError: notifyFailed,
  });
  if (!data) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Who is who</Title>
      <Switch
        label="Join visitors by what pages say alone"
        description={
          mayChange
            ? "An email typed into a form, or an id in a link, then makes the visitor that user. The risk: everybody can type an address, so a stranger can put events and unproved values into the profile of somebody else. Values with proof stay as they are."
            : "Only owners may change it."
        }
        checked={data.join_by_hints}
        disabled={!mayChange || change.isPending}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
    </Stack>
  );
}
