import { Code, Group, Text } from "@mantine/core";
import type { SubjectIdentity as Identity } from "@muster/protocol/api/history";
import { CopyText } from "../../../ui/text/copy-text.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";

// A user may have a hundred anonymous ids. The panel shows them all.
const SHOWN_OF_KIND = 2;

/** The identifiers of a subject, each with a button to copy it. */
export function IdentifierLine({ id, identifiers }: { id: string; identifiers: Identity["identifiers"] }) {
  const all = Object.entries(identifiers).flatMap(([kind, values]) =>
    values.slice(0, SHOWN_OF_KIND).map((value) => [kind, value] as const),
  );
  return (
    <>
      {[...all, ["id", id] as const].map(([kind, value]) => (
        <Group key={`${kind} ${value}`} gap={4} wrap="nowrap" maw="100%">
          <Text c="dimmed" size="xs" flex="none">
            {IDENTIFIER_NAMES[kind] ?? kind}
          </Text>
          <Code fz="xs" style={{ overflowWrap: "anywhere" }}>
            {value}
          </Code>
          <CopyText text={value} label={`Copy ${IDENTIFIER_NAMES[kind] ?? kind}`} />
        </Group>
      ))}
    </>
  );
}
