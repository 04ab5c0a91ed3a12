import { createTransport } from "nodemailer";

export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
}

/** Sends mail to people. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

export function openMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport(smtpUrl);
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ from, to: [...to], subject, text });
    },
    close: () => transport.close(),
  };
}
