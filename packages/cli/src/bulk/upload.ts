import type { Upload } from "@muster/protocol/api/imports";
import type { Api } from "../api.js";

const PART_BYTES = 8 * 1024 * 1024;

/** Sends a file to the server part by part; returns its address for an import. */
export async function upload(
  api: Api,
  content: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): Promise<string> {
  const { id, url } = await api.post<Upload>("/uploads");
  let sent = 0;
  for await (const part of inParts(content)) {
    ({ received: sent } = await api.putBytes<Upload>(`/uploads/${id}?offset=${sent}`, part));
    onSent(sent);
  }
  return url;
}

async function* inParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}
