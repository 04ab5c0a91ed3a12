import { createContext, useContext } from "react";
import { type ImageOwner, useConnectorImage } from "../api/connectors/use-connector-image.js";
import classes from "./connector-image.module.css";

/** Whose texts are shown. Images in them are left out without it. */
export const ImageOwnerContext = createContext<ImageOwner | undefined>(undefined);

/** An image in a text of a connector. Its description stands in its place until it is there, and when it cannot be shown. */
export function TextImage({ src, alt }: { src: string; alt: string }) {
  const owner = useContext(ImageOwnerContext);
  return owner ? <LoadedImage owner={owner} src={src} alt={alt} /> : <span>{alt}</span>;
}

function LoadedImage({ owner, src, alt }: { owner: ImageOwner; src: string; alt: string }) {
  const { data: image } = useConnectorImage(owner, src);
  return image ? <img className={classes.inText} src={image} alt={alt} /> : <span>{alt}</span>;
}

interface ConnectorPictureProps {
  owner: ImageOwner;
  /** As the manifest gives it. */
  src: string | undefined;
  name: string;
}

/** The picture or logo of a connector beside its name; the first letter of the name when it has none. */
export function ConnectorPicture({ owner, src, name }: ConnectorPictureProps) {
  const { data: image } = useConnectorImage(owner, src);
  if (image) return <img className={classes.picture} src={image} alt="" />;
  return (
    <span className={classes.letter} aria-hidden>
      {(name.trim()[0] ?? "").toLocaleUpperCase()}
    </span>
  );
}
