import { Stack, Switch, Title } from "@mantine/core";
import { useRefreshSubject, useUserRecord } from "../../../api/audience/use-subject.js";
import { changeObject } from "../../../api/client.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";

/** The marks of a user: whether apps treat the user as approved, and as an admin. */
export function MarkSwitches({ id }: { id: string }) {
  const record = useUserRecord(id, true);
  const refresh = useRefreshSubject(id);
  const mayApprove = useMay("editor");
  const mayGrant = useMay("owner");
  const set = async (mark: "approved" | "is_admin", value: boolean, isUndo = false): Promise<void> => {
    try {
      await changeObject(id, { [mark]: value });
      await refresh();
      const done =
        mark === "approved"
          ? value
            ? "Approved"
            : "Not approved any more"
          : value
            ? "Now an admin"
            : "Not an admin any more";
      if (!isUndo) notifyDone(done, () => void set(mark, !value, true));
    } catch (error) {
      notifyFailed(error);
    }
  };
  if (!record.data) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Marks">
      <Title order={3}>Marks</Title>
      <Switch
        label="Approved"
        description={
          mayApprove ? "Apps may treat the user as one that an admin has accepted." : "Viewers cannot change it."
        }
        checked={record.data.isApproved}
        disabled={!mayApprove}
        onChange={({ currentTarget }) => void set("approved", currentTarget.checked)}
      />
      <Switch
        label="Admin"
        description={mayGrant ? "Apps may give the user the rights of an admin." : "Only owners may grant it."}
        checked={record.data.isAdmin}
        disabled={!mayGrant}
        onChange={({ currentTarget }) => void set("is_admin", currentTarget.checked)}
      />
    </Stack>
  );
}
