import { Refusal } from "@muster/protocol";
import type { Questions } from "../storage/questions/questions.js";

/** What a process has instead of a question engine when none of its roles needs one. It refuses every question. */
export function withoutQuestions(): Questions {
  const refuse = async () => {
    throw new Refusal("unavailable", "This process has no question engine: none of its roles needs one.");
  };
  // A missing engine is intended here, so the checks of the engines pass.
  const present: Partial<Questions> = {
    ping: async () => {},
    version: async () => "no question engine",
    close: async () => {},
  };
  // Every other method is missing, and is answered with a refusal.
  return new Proxy(present as Questions, {
    get: (target, name) => Reflect.get(target, name) ?? (name === "then" ? undefined : refuse),
  });
}
