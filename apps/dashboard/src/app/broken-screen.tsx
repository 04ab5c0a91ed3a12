import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorNote } from "../ui/page/error-note.js";

/** What is shown in the place of a screen that failed. The rest of the page goes on working. */
export function BrokenScreen({ error }: ErrorComponentProps) {
  const router = useRouter();
  return <ErrorNote error={error} onRetry={() => void router.invalidate()} />;
}
