import { ErrorNote } from "../ui/page/error-note.js";
import type { FilterSchema } from "./filter-schema.js";

/** Says that there is more to ask about than can be chosen, with a way to read it again. */
export function SchemaProblem({ schema: { problem } }: { schema: FilterSchema }) {
  return problem ? <ErrorNote error={problem.error} onRetry={problem.readAgain} /> : null;
}
