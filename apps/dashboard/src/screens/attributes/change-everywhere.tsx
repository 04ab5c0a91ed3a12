import { Button, Group, Select, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { ATTRIBUTE_TYPES, type AttributeType } from "@muster/protocol/api/choices";
import { useState } from "react";
import { useAttributeRewrites, useConversionPreview } from "../../api/audience/use-attribute-rewrites.js";
import { useJob } from "../../api/jobs/use-jobs.js";
import { useMay } from "../../api/session/use-organization.js";
import { TYPE_NAMES } from "../../filters/type-names.js";
import { JobOutcome } from "../../jobs/job-outcome.js";
import { JobProgress } from "../../jobs/job-progress.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount } from "../../ui/text/format.js";
import { ConversionNote } from "./conversion-note.js";

interface ChangeEverywhereProps {
  attribute: AttributeFigure;
  subjectType: SubjectType;
}

/** Gives an attribute another type, or deletes it, for everybody. A job does it, and asks first. */
export function ChangeEverywhere({ attribute, subjectType }: ChangeEverywhereProps) {
  const { name, type, count, removing } = attribute;
  const mayEdit = useMay("editor");
  const [wanted, setWanted] = useState<AttributeType>();
  const [asking, setAsking] = useState<"convert" | "delete">();
  const [jobId, setJobId] = useState<string>();
  const preview = useConversionPreview(subjectType, name, wanted);
  const rewrites = useAttributeRewrites(subjectType);
  const job = useJob(jobId).data;
  const types = ATTRIBUTE_TYPES.filter((one) => one !== type).map((value) => ({ value, label: TYPE_NAMES[value] }));
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <Select
          label="Change the type"
          placeholder={TYPE_NAMES[type]}
          clearable
          w={160}
          disabled={!mayEdit || removing}
          data={types}
          value={wanted ?? null}
          onChange={(value) => setWanted(ATTRIBUTE_TYPES.find((one) => one === value))}
        />
        <Button disabled={!mayEdit || !preview.data} variant="default" onClick={() => setAsking("convert")}>
          Change the type
        </Button>
        <Button color="red" variant="subtle" disabled={!mayEdit || removing} onClick={() => setAsking("delete")}>
          {removing ? "Is being deleted" : "Delete everywhere"}
        </Button>
      </Group>
      {preview.error ? <ErrorNote error={preview.error} /> : null}
      {wanted && preview.data ? <ConversionNote preview={preview.data} subjectType={subjectType} /> : null}
      {job ? <JobProgress job={job} what={job.name} /> : null}
      {job ? <JobOutcome job={job} /> : null}
      <ConfirmDialog
        opened={asking === "convert"}
        onClose={() => setAsking(undefined)}
        title={`Change the type of ${name}`}
        action="Change the type"
        onConfirm={async () => {
          if (wanted) setJobId((await rewrites.convert.mutateAsync({ name, type: wanted })).id);
          setWanted(undefined);
        }}
      >
        {preview.data ? <ConversionNote preview={preview.data} subjectType={subjectType} /> : null}
        <Text>
          From now on, senders must send the new type: other values are refused. What cannot be converted is unset.
          There is no way back.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === "delete"}
        onClose={() => setAsking(undefined)}
        title={`Delete ${name} everywhere`}
        action="Delete everywhere"
        typeToConfirm={name}
        onConfirm={async () => setJobId((await rewrites.remove.mutateAsync({ name })).id)}
      >
        {count ? `${formatCount(count, subjectType)} will lose the value. ` : ""}Events about earlier changes stay. A
        sender that goes on sending the attribute makes it anew, so stop it first. There is no way back.
      </ConfirmDialog>
    </Stack>
  );
}
