import { freePort } from "../../../testing/free-port.js";

const PORT = /(?<![\w.])80[89]\d(?!\w)/g;

/** Replaces the ports that pages name (8080 for the server, 8081 to 8099 for other programs) with free ones. */
export class LocalPorts {
  readonly #real: Map<string, number>;

  constructor(serverPort: number) {
    this.#real = new Map([["8080", serverPort]]);
  }

  /** The text with real ports. The same port in the text is always replaced with the same real one. */
  async replaceIn(text: string): Promise<string> {
    for (const [named] of text.matchAll(PORT)) {
      if (!this.#real.has(named)) this.#real.set(named, await freePort());
    }
    return text.replace(PORT, (named) => String(this.#real.get(named)));
  }
}
