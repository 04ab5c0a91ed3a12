import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface MailSink {
  url: string;
  /** The mails received so far. The content is the headers and the text as they were sent. */
  mails: { to: string[]; content: string }[];
  close(): Promise<void>;
}

/** Starts a mail server that accepts every mail. It knows as much SMTP as a sender needs. */
export async function openMailSink(): Promise<MailSink> {
  const mails: MailSink["mails"] = [];
  const server = createServer((socket) => converse(socket, mails)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async close() {
      server.close();
      await once(server, "close");
    },
  };
}

function converse(socket: Socket, mails: MailSink["mails"]): void {
  let to: string[] = [];
  let content: string | undefined;
  let rest = "";
  const take = (line: string) => {
    if (content !== undefined) {
      if (line !== ".") {
        content += `${line}\n`;
        return;
      }
      mails.push({ to, content });
      to = [];
      content = undefined;
      socket.write("250 taken\r\n");
      return;
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "RCPT") to.push(/<(.*)>/.exec(line)?.[1] ?? "");
    if (verb === "DATA") {
      content = "";
      socket.write("354 go on\r\n");
    } else if (verb === "QUIT") socket.end("221 bye\r\n");
    else socket.write("250 ok\r\n");
  };
  socket.write("220 sink\r\n");
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
  socket.on("error", () => socket.destroy());
}
