import { useNetwork } from "@mantine/hooks";
import { useHealth } from "../../api/organization/use-health.js";
import classes from "./shell.module.css";

/** Says that what is shown may be old, because the browser or the server is offline. It goes away by itself. */
export function OfflineBanner() {
  const { online } = useNetwork();
  const { error, failureReason } = useHealth();
  // A call that never reached the server fails with this error.
  const isUnreachable = error instanceof TypeError || failureReason instanceof TypeError;
  const text = !online
    ? "You are offline. What you see may be old. It is read again as soon as the connection is back."
    : isUnreachable
      ? "The server cannot be reached. What you see may be old. The page keeps trying."
      : undefined;
  return (
    <div role="status" className={classes.offline} hidden={text === undefined}>
      {text}
    </div>
  );
}
