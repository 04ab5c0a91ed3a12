import { Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import type { JobObject } from "@muster/protocol/api/jobs";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ChooseFile } from "./choose-file.js";
import { FileImport } from "./file-import.js";

interface ImportParameters {
  object?: string;
  file?: string;
  name?: string;
  dry?: string;
  job?: string;
}

const OBJECTS: JobObject[] = ["users", "accounts", "events"];

/**
 * An import from the file to its result. An upload and its jobs are in the address of the page, so a reload loses nothing. A
 * web address is not, because it may have credentials.
 */
export function ImportTab() {
  const { object: given, file: upload = "", name = "", dry, job }: ImportParameters = useSearch({ strict: false });
  const [webAddress, setWebAddress] = useState("");
  const file = upload || webAddress;
  const object = OBJECTS.find((one) => one === given) ?? "users";
  const navigate = useNavigate();
  const show = (change: { [Key in keyof ImportParameters]: ImportParameters[Key] | undefined }) =>
    void navigate({
      to: ".",
      search: (before) => ({ ...before, ...change }),
    });
  return (
    <Stack gap="md">
      <Group>
        <Text id="import-object">What is in the file?</Text>
        <SegmentedControl
          aria-labelledby="import-object"
          value={object}
          disabled={job !== undefined}
          onChange={(value) => show({ object: value === "users" ? undefined : value, dry: undefined })}
          data={[
            { value: "users", label: "Users" },
            { value: "accounts", label: "Accounts" },
            { value: "events", label: "Events" },
          ]}
        />
        {file === "" && job === undefined ? null : (
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            <Button
              variant="subtle"
              onClick={() => {
                setWebAddress("");
                show({ file: undefined, name: undefined, dry: undefined, job: undefined });
              }}
            >
              Choose another file
            </Button>
          </Group>
        )}
      </Group>
      {file === "" && job === undefined ? (
        <ChooseFile
          onChosen={(chosen, title) => {
            const isUpload = chosen.startsWith("upload:");
            setWebAddress(isUpload ? "" : chosen);
            show({ file: isUpload ? chosen : undefined, name: title, dry: undefined, job: undefined });
          }}
        />
      ) : (
        <FileImport
          key={`${file} ${object}`}
          object={object}
          file={file}
          name={name}
          dryRunId={dry}
          jobId={job}
          onDryRun={(id) => show({ dry: id })}
          onImport={(id) => show({ job: id })}
        />
      )}
    </Stack>
  );
}
