import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.js";
import { callContext } from "./client.js";

let onSignedOut = () => {};

/** Calls `listener` when an answer says that the person is not signed in any more. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      // The session itself is read before a screen opens, which leads to the sign-in by itself.
      if (!(error instanceof ApiError && error.status === 401) || query.queryKey[0] === "session") return;
      forgetSession();
      onSignedOut();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      // A refusal stays one. A server that was away may be back.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
      refetchOnWindowFocus: true,
    },
  },
});

/** Forgets everything that was read for the person who was signed in. */
export function forgetSession(): void {
  callContext.csrfToken = "";
  queryClient.clear();
}
