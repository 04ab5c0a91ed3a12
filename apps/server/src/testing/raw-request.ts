import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/** Writes bytes to a socket without change and reads one HTTP answer. For requests that no HTTP client would send. */
export function rawRequest(url: string, bytes: string | Buffer, timeoutMs = 10_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = "";
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      received += chunk;
      const answer = parseAnswer(received);
      if (!answer) return;
      socket.destroy();
      resolve(answer);
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`closed after ${JSON.stringify(received.slice(0, 200))}`)));
  });
}

function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const headers = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? Number.NaN);
  if (
    Number.isNaN(length)
      ? /^transfer-encoding/im.test(headers) && !body.endsWith("0\r\n\r\n")
      : Buffer.byteLength(body) < length
  ) {
    return undefined;
  }
  return { status: Number(headers.split(" ")[1]), headers, body };
}
