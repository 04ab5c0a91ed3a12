/** Something that any part of the page can ask for and that one place does, such as to open the palette. */
export interface PageRequest {
  send: () => void;
  /** Calls `act` at each request, until the returned function is called. */
  listen: (act: () => void) => () => void;
}

export function createRequest(): PageRequest {
  const target = new EventTarget();
  return {
    send: () => void target.dispatchEvent(new Event("request")),
    listen: (act) => {
      target.addEventListener("request", act);
      return () => target.removeEventListener("request", act);
    },
  };
}
