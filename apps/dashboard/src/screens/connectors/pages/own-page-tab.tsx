import { Alert } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useEffect, useRef, useState } from "react";
import { useConnectorFrame } from "../../../api/connectors/use-connector-frame.js";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { useMay } from "../../../api/session/use-organization.js";
import { SaveBar } from "../../../settings-form/save-bar.js";
import { countChanges, type SettingChanges, undoChanges, withChange } from "../../../settings-form/setting-values.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { UnsavedGuard } from "../../../ui/notes/unsaved-guard.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import classes from "./own-page-tab.module.css";
import { type OwnPage, type PageChanges, readPageMessage } from "./own-pages.js";

interface OwnPageTabProps {
  connector: Connector;
  page: OwnPage;
}

/** A page of the connector in a frame. What an editable page wants to store is saved with the button below it. */
export function OwnPageTab({ connector, page }: OwnPageTabProps) {
  const mayOpen = useMay("owner");
  if (!mayOpen) {
    return <Alert>Only owners can open this page: its address holds the secret of the connector.</Alert>;
  }
  return <OwnPageFrame connector={connector} page={page} />;
}

function OwnPageFrame({ connector, page }: OwnPageTabProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { data: url, error, refetch } = useConnectorFrame(connector.id, page.url);
  const update = useUpdateConnector(connector.id);
  const [changes, setChanges] = useState<SettingChanges>({});
  const [failure, setFailure] = useState<unknown>();
  const stored = { settings: connector.settings, private_settings: connector.private_settings ?? {} };
  const latest = useRef(stored);
  latest.current = stored;

  useEffect(() => {
    if (!page.isEditable) return;
    const receive = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return;
      const given = readPageMessage((data as { data?: unknown } | null)?.data);
      if (given) setChanges((before) => withPageChanges(before, latest.current, given));
    };
    addEventListener("message", receive);
    return () => removeEventListener("message", receive);
  }, [page.isEditable]);

  const save = async () => {
    const undo = undoChanges(stored, changes);
    setFailure(undefined);
    try {
      await update.mutateAsync(changes);
      setChanges({});
      notifyDone("Settings saved", () => update.mutateAsync(undo));
    } catch (reason) {
      setFailure(reason);
    }
  };
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (url === undefined) return null;
  return (
    <>
      <iframe ref={frame} className={classes.frame} data-size={page.size} title={page.title} src={url} />
      {failure === undefined ? null : <ErrorNote error={failure} />}
      <SaveBar
        changes={countChanges(changes)}
        isSaving={update.isPending}
        onSave={() => void save()}
        onDiscard={() => {
          setChanges({});
          // The page starts again with what is stored.
          void refetch();
        }}
      />
      <UnsavedGuard hasChanges={countChanges(changes) > 0} />
    </>
  );
}

function withPageChanges(
  before: SettingChanges,
  stored: Parameters<typeof withChange>[1],
  given: PageChanges,
): SettingChanges {
  return (["settings", "private_settings"] as const)
    .flatMap((group) => Object.entries(given[group] ?? {}).map(([name, value]) => ({ group, name, value })))
    .reduce<SettingChanges>((changes, change) => withChange(changes, stored, change), before);
}
