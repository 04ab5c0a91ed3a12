import { Button, Chip, Group, Text, TextInput } from "@mantine/core";
import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import { type ReactNode, useState } from "react";

/** As many as fit on two screens. The search finds the others. */
const SHOWN = 20;

interface DestinationListProps {
  entries: readonly CatalogueEntry[];
  children: (entries: readonly CatalogueEntry[]) => ReactNode;
}

/** Two hundred destinations, by what somebody types and by category. */
export function DestinationList({ entries, children }: DestinationListProps) {
  const [typed, setTyped] = useState("");
  const [category, setCategory] = useState("");
  const [showsAll, setShowsAll] = useState(false);
  const categories = [...new Set(entries.flatMap((entry) => entry.categories))].sort();
  const words = typed.trim().toLowerCase();
  const found = entries.filter(
    (entry) => (category === "" || entry.categories.includes(category)) && entry.name.toLowerCase().includes(words),
  );
  const shown = showsAll ? found : found.slice(0, SHOWN);
  return (
    <>
      <TextInput
        label="Search destinations"
        placeholder="HubSpot, Slack, …"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        maw={320}
        mt="xs"
      />
      <Chip.Group value={category} onChange={(next) => setCategory(typeof next === "string" ? next : "")}>
        <Group gap="xs" mt="xs" role="group" aria-label="Categories">
          <Chip value="" size="xs">
            All
          </Chip>
          {categories.map((name) => (
            <Chip key={name} value={name} size="xs">
              {name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {found.length === 0 ? (
        <Text c="dimmed" mt="xs">
          No destination has this name.
        </Text>
      ) : null}
      {children(shown)}
      {shown.length < found.length ? (
        <Button variant="default" mt="xs" onClick={() => setShowsAll(true)}>
          Show {found.length - shown.length} more
        </Button>
      ) : null}
    </>
  );
}
