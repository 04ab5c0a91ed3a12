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
      {folders.length > 0 ? (
        <Select
          aria-label="Folder"
          placeholder="All folders"
          data={folders}
          value={folder || null}
          clearable
          clearButtonProps={{ "aria-label": "All folders" }}
          onChange={(next) => onFolder(next ?? undefined)}
        />
      ) : null}
      {tags.length > 0 ? (
        <Select
          aria-label="Tag"
          placeholder="All tags"
          data={tags}
          value={tag || null}
          clearable
          clearButtonProps={{ "aria-label": "All tags" }}
          onChange={(next) => onTag(next ?? undefined)}
        />
      ) : null}
    </FilterBar>
  );
}

/** Segments of a folder beside each other: those in none first, then by the name of the folder. */
export function inFolders(segments: readonly Segment[]): Segment[] {
  return [...segments].sort((one, other) => one.folder.localeCompare(other.folder));
}

function known(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== "").sort((one, other) => one.localeCompare(other));
}
