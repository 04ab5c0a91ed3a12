/** How the files of the types begin that may be shown. SVG is not among them, because it can hold scripts and links. */
const TYPES: readonly { type: string; isType(bytes: Buffer): boolean }[] = [
  { type: "image/png", isType: (bytes) => bytes.subarray(0, 8).equals(Buffer.from("89504e470d0a1a0a", "hex")) },
  { type: "image/jpeg", isType: (bytes) => bytes.subarray(0, 3).equals(Buffer.from("ffd8ff", "hex")) },
  { type: "image/gif", isType: (bytes) => /^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6)) },
  { type: "image/webp", isType: (bytes) => /^RIFF.{4}WEBP$/s.test(bytes.toString("latin1", 0, 12)) },
];

/**
 * An image as a `data:` address, which a page can show without a request. The content decides about the type, whatever the
 * server that sent it says. Undefined for everything that is not a raster image.
 */
export function inlineImage(bytes: Buffer): string | undefined {
  const found = TYPES.find(({ isType }) => isType(bytes));
  return found && `data:${found.type};base64,${bytes.toString("base64")}`;
}
