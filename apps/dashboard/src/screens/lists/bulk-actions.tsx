import { Button, Group, Menu, Tooltip } from "@mantine/core";
import type { JsonObject } from "@muster/protocol/api/schema";
import { KebabHorizontalIcon } from "@primer/octicons-react";
import { Suspense, useState } from "react";
import type { ReportField } from "../../api/audience/use-report-fields.js";
import { useMay } from "../../api/session/use-organization.js";
import type { BulkSelection } from "../../jobs/bulk-selection.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { formatCount } from "../../ui/text/format.js";
import { labelOf } from "../../ui/text/words.js";

const ExportDialog = lazyPart(() => import("../../jobs/export-dialog.js"), "ExportDialog");
const SendDialog = lazyPart(() => import("../../jobs/send-dialog.js"), "SendDialog");
const SaveSegmentDialog = lazyPart(() => import("./save-segment-dialog.js"), "SaveSegmentDialog");

interface BulkActionsProps {
  /** Everybody that the list shows; undefined until that is known. */
  everybody: BulkSelection | undefined;
  /** The selected rows, if there are any. */
  chosen: BulkSelection | undefined;
  onClear: () => void;
  /** The columns of the list. */
  fields: readonly string[];
  /** All fields of the reports. */
  known: readonly ReportField[];
  predicate: JsonObject | undefined;
}

/** The columns of a file. Of an account, the name. */
function columnsOf(keys: readonly string[], known: readonly ReportField[]) {
  return keys.map((shown) => {
    const key = shown === "account" ? "account.name" : shown;
    return { key, name: labelOf(key, known) };
  });
}

/** What can be done with the selected rows, or with everybody that the list shows. */
export function BulkActions({ everybody, chosen, onClear, fields, known, predicate }: BulkActionsProps) {
  const mayChange = useMay("editor");
  const [opened, setOpened] = useState<"export" | "send" | "segment">();
  const [wasOpened, setWasOpened] = useState(false);
  if (opened && !wasOpened) setWasOpened(true);
  const selection = chosen ?? everybody;
  const close = () => setOpened(undefined);
  const isUsable = mayChange && selection !== undefined && selection.count > 0;
  const reason = mayChange ? "There is nobody in the list." : "Your role lets you look at this only.";
  const words = selection ? formatCount(selection.count, selection.target) : "";
  return (
    <>
      <Tooltip label={reason} disabled={isUsable}>
        <Group gap="xs">
          {chosen ? (
            <Button variant="subtle" onClick={onClear}>
              Clear selection
            </Button>
          ) : null}
          <Menu position="bottom-end" withinPortal disabled={!isUsable} transitionProps={{ duration: 0 }}>
            <Menu.Target>
              <Button
                variant={chosen ? "filled" : "default"}
                disabled={!isUsable}
                leftSection={<KebabHorizontalIcon size={14} />}
              >
                {chosen ? `${words} selected` : "Actions"}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setOpened("export")}>Export {words}…</Menu.Item>
              <Menu.Item onClick={() => setOpened("send")}>Send {words} to a connector…</Menu.Item>
              <Menu.Item onClick={() => setOpened("segment")}>Save as segment…</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Tooltip>
      {selection && wasOpened ? (
        <Suspense fallback={null}>
          <ExportDialog
            selection={selection}
            fields={columnsOf(fields, known)}
            opened={opened === "export"}
            onClose={close}
          />
          <SendDialog selection={selection} opened={opened === "send"} onClose={close} />
          <SaveSegmentDialog
            selection={selection}
            predicate={chosen ? undefined : predicate}
            opened={opened === "segment"}
            onClose={close}
          />
        </Suspense>
      ) : null}
    </>
  );
}
