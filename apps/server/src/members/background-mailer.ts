import type { Logger } from "pino";
import type { Mail, Mailer } from "../outbound/mailer.js";

/** Sends mail after the request is answered: the time of an answer must not tell whether somebody got mail. */
export class BackgroundMailer {
  readonly #mailer: Mailer;
  readonly #logger: Logger;

  constructor(mailer: Mailer, logger: Logger) {
    this.#mailer = mailer;
    this.#logger = logger;
  }

  /** Sends what `write` returns, if it returns a mail. */
  sendSoon(write: () => Promise<Mail | undefined>): void {
    const send = async () => {
      const mail = await write();
      if (mail) await this.#mailer.send(mail);
    };
    send().catch((error: unknown) => {
      this.#logger.error({ err: error }, "a mail to a member could not be sent");
    });
  }
}
