import { Select } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { FilterBar } from "../../ui/table/filter-bar.js";

interface NoteFiltersProps {
  segments: readonly Segment[];
  folder: string;
  onFolder: (folder: string | undefined) => void;
  tag: string;
  onTag: (tag: string | undefined) => void;
}

/** Chooses segments by folder and tag. Without either there is nothing to choose. */
export function NoteFilters({ segments, folder, onFolder, tag, onTag }: NoteFiltersProps) {
  const folders = known(segments.map((segment) => segment.folder));
  const tags = known(segments.flatMap((segment) => segment.tags));
  if (folders.length + tags.length === 0) return null;
  return (
    <FilterBar>
      <NoteSelect label="Folder" all="All folders" choices={folders} value={folder} onChange={onFolder} />
      <NoteSelect label="Tag" all="All tags" choices={tags} value={tag} onChange={onTag} />
    </FilterBar>
  );
}

interface NoteSelectProps {
  label: string;
  /** What is shown without a choice. */
  all: string;
  choices: readonly string[];
  value: string;
  onChange: (value: string | undefined) => void;
}

function NoteSelect({ label, all, choices, value, onChange }: NoteSelectProps) {
  if (choices.length === 0) return null;
  return (
    <Select
      aria-label={label}
      placeholder={all}
      data={[...choices]}
      value={value || null}
      clearable
      clearButtonProps={{ "aria-label": all }}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}

/** Segments by folder: those in none first, then by the name of the folder. */
export function byFolder(segments: readonly Segment[]): { folder: string; segments: Segment[] }[] {
  const folders = new Map<string, Segment[]>();
  for (const segment of segments) folders.set(segment.folder, [...(folders.get(segment.folder) ?? []), segment]);
  return [...folders]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([folder, inside]) => ({ folder, segments: inside }));
}

function known(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== "").sort((one, other) => one.localeCompare(other));
}
