import type { Segment } from "@muster/protocol/api/segments";
import { FilterBar } from "../../ui/table/filter-bar.js";
import { FilterSelect } from "../../ui/table/filter-select.js";

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
      {folders.length > 0 ? (
        <FilterSelect aria-label="Folder" placeholder="All folders" data={folders} value={folder} onChange={onFolder} />
      ) : null}
      {tags.length > 0 ? (
        <FilterSelect aria-label="Tag" placeholder="All tags" data={tags} value={tag} onChange={onTag} />
      ) : null}
    </FilterBar>
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
