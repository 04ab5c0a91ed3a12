import { Anchor } from "@mantine/core";
import { ApiError } from "../../api/api-error.js";
import { EmptyState } from "./empty-state.js";
import { ErrorNote } from "./error-note.js";

interface ScreenErrorProps {
  error: unknown;
  onRetry: () => void;
  /** What the screen is about, such as "segment". */
  noun: string;
  /** The address of the list of such objects. */
  list: { href: string; name: string };
}

/** What the screen of an object shows when the object cannot be read: that there is none, or what went wrong. */
export function ScreenError({ error, onRetry, noun, list }: ScreenErrorProps) {
  if (!(error instanceof ApiError) || error.status !== 404) return <ErrorNote error={error} onRetry={onRetry} />;
  return (
    <EmptyState title={`There is no such ${noun}`} action={<Anchor href={list.href}>{list.name}</Anchor>}>
      It may have been deleted, or the link belongs to another organization.
    </EmptyState>
  );
}
