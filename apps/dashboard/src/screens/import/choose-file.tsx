import { Button, FileButton, Group, Progress, Stack, Text, TextInput } from "@mantine/core";
import { UploadIcon } from "@primer/octicons-react";
import { useEffect, useRef, useState } from "react";
import { uploadFile } from "../../api/jobs/use-import.js";
import { useMay } from "../../api/session/use-organization.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatShare } from "../../ui/text/format.js";
import classes from "./choose-file.module.css";

interface ChooseFileProps {
  /** Gets the address that an import takes, and the name of the file. */
  onChosen: (url: string, name: string) => void;
}

/** A file to drop or to choose, or an address to fetch it from. */
export function ChooseFile({ onChosen }: ChooseFileProps) {
  const mayChange = useMay("editor");
  const [isOver, setOver] = useState(false);
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  const [url, setUrl] = useState("");
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { current } = stop;
    return () => current.abort();
  }, []);
  const take = async (file: File | null | undefined) => {
    if (!file || !mayChange) return;
    setError(undefined);
    setShare(0);
    try {
      onChosen(await uploadFile(file, setShare, stop.current.signal), file.name);
    } catch (reason) {
      setError(reason);
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Stack maw={720}>
      <section
        aria-label="Drop a file here"
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        {share === undefined ? (
          <>
            <Text>Drop a CSV or JSON file here, or</Text>
            <FileButton onChange={(file) => void take(file)} disabled={!mayChange}>
              {(props) => (
                <Button {...props} disabled={!mayChange} leftSection={<UploadIcon size={14} />}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Text c="dimmed">
              {mayChange
                ? "Commas, semicolons or tabs, one JSON object a line, or a JSON array. Gzip is fine."
                : "Your role lets you look at this only."}
            </Text>
          </>
        ) : (
          <>
            <Text aria-live="polite">Sending the file: {formatShare(share)}</Text>
            <Progress value={share * 100} aria-label="Sending the file" w="100%" />
          </>
        )}
      </section>
      {error === undefined ? null : <ErrorNote error={error} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onChosen(url.trim(), fileNameOf(url));
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Or an address to fetch it from"
            placeholder="https://…"
            type="url"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
            flex={1}
          />
          <Button type="submit" variant="default" disabled={!/^https?:\/\/\S+$/.test(url.trim()) || !mayChange}>
            Use this address
          </Button>
        </Group>
      </form>
    </Stack>
  );
}

/** The last part of an address, without parameters, which may have credentials. */
function fileNameOf(url: string): string {
  const { pathname, host } = new URL(url.trim());
  return pathname.split("/").findLast((part) => part !== "") ?? host;
}
