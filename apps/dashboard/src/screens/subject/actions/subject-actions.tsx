import { Button, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { useState } from "react";
import { useMay } from "../../../api/session/use-organization.js";
import { EraseDialog } from "./erase-dialog.js";
import { SendDialog } from "./send-dialog.js";

interface SubjectActionsProps {
  type: SubjectType;
  id: string;
  report: Report;
}

/** What can be done with a user or account. */
export function SubjectActions({ type, id, report }: SubjectActionsProps) {
  const may = useMay("editor");
  const [dialog, setDialog] = useState<"send" | "erase">();
  const close = () => setDialog(undefined);
  return (
    <>
      <Tooltip label="Viewers cannot send" disabled={may}>
        <Button variant="default" disabled={!may} onClick={() => setDialog("send")}>
          Send to a connector
        </Button>
      </Tooltip>
      <Tooltip label="Viewers cannot erase" disabled={may}>
        <Button variant="default" c={may ? "var(--bad)" : undefined} disabled={!may} onClick={() => setDialog("erase")}>
          Erase
        </Button>
      </Tooltip>
      <SendDialog type={type} id={id} opened={dialog === "send"} onClose={close} />
      <EraseDialog type={type} id={id} report={report} opened={dialog === "erase"} onClose={close} />
    </>
  );
}
