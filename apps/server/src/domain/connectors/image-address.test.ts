import { expect, test } from "vitest";
import { imageAddress, namedImage } from "./image-address.js";

const sourceUrl = "https://crm.example.com/app";
const texts = {
  sourceUrl,
  manifest: {
    picture: "picture.png",
    logo: "https://cdn.example.com/logo.png",
    private_settings: [{ name: "key", description: "Where it is: ![a screen](docs/key.png)" }],
  },
  readme: { path: "docs/README.md", text: "![a](flow.png) ![b](<with space.png>) ![c][one]\n\n[one]: /assets/one.png" },
};

test.each([
  ["picture.png", "https://crm.example.com/app/picture.png"],
  ["https://cdn.example.com/logo.png", "https://cdn.example.com/logo.png"],
  ["docs/key.png", "https://crm.example.com/app/docs/key.png"],
  // Relative to the readme, below the root of the connector, and as a reader of Markdown escapes it.
  ["flow.png", "https://crm.example.com/app/docs/flow.png"],
  ["/assets/one.png", "https://crm.example.com/app/assets/one.png"],
  ["with%20space.png", "https://crm.example.com/app/docs/with%20space.png"],
])("%s is an image of the connector", (src, address) => {
  expect(namedImage(src, texts)?.href).toBe(address);
});

test.each(["other.png", "/admin", "https://stranger.example.com/p.png", "key"])("%s is named nowhere", (src) => {
  expect(namedImage(src, texts)).toBeUndefined();
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "data:image/png;base64,AA", "https://"])(
  "%s is no address to fetch",
  (src) => expect(imageAddress(src, sourceUrl)).toBeUndefined(),
);
