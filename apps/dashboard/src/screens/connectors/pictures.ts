import { asText } from "../../ui/code/json-parts.js";

type Manifest = Readonly<Record<string, unknown>>;

/** The image for a place that presents a connector, such as the gallery. */
export function pictureOf({ picture, logo }: Manifest): string | undefined {
  return asText(picture) ?? asText(logo);
}

/** The image for a row of a list or a title: a logo is made for small sizes. */
export function logoOf({ picture, logo }: Manifest): string | undefined {
  return asText(logo) ?? asText(picture);
}
