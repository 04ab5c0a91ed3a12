import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A process that runs a module and sends messages back. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  send(message: object): void;
  /** The next message; rejects when the child ends before sending one. */
  next<Message>(): Promise<Message>;
  stop(): Promise<void>;
}

/** @example const child = startChild(new URL("./client/sink.js", import.meta.url), []); */
export function startChild(module: URL, args: string[]): Child {
  // The same size of the young generation as in the server.
  const child = fork(module, args, { execArgv: [...process.execArgv, "--max-semi-space-size=64"] });
  const messages: unknown[] = [];
  const waiting: { resolve: (message: unknown) => void; reject: (error: Error) => void }[] = [];
  child.on("message", (message) => {
    const waiter = waiting.shift();
    if (waiter) waiter.resolve(message);
    else messages.push(message);
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${module.pathname} ended with ${code}.`));
  });
  return {
    process: child,
    // A forked module has a pid unless it could not be started, and then `next` rejects.
    pid: child.pid ?? 0,
    send: (message) => void child.send(message),
    // Both processes are of one build, so the message has the type that the caller expects.
    next: <Message>() =>
      messages.length > 0
        ? Promise.resolve(messages.shift() as Message)
        : new Promise<Message>((resolve, reject) =>
            waiting.push({ resolve: (message) => resolve(message as Message), reject }),
          ),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}
