import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { CheckIcon, CopyIcon } from "@primer/octicons-react";

/** A button that copies a text. */
export function CopyText({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon onClick={copy} aria-label={label} color="gray">
            {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
