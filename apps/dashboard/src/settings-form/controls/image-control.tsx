import { Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useConnectorImage } from "../../api/connectors/use-connector-image.js";
import classes from "../connector-image.module.css";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";
import { useFormContext } from "../form-context.js";

// The server fetches the image from its address, so a half-typed address should not be asked for.
const TYPING_MS = 400;
/** Images that are in the value itself. */
const INLINE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** The address or path of an image, with the image below it. */
export function ImageControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const text = value === undefined || value === null ? "" : String(value);
  return (
    <>
      <TextInput
        aria-label={label}
        value={text}
        placeholder={setting.options.placeholder ?? "https://"}
        error={errorSentence(errors)}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {text.trim() === "" ? null : <Preview src={text.trim()} label={label} />}
    </>
  );
}

function Preview({ src: given, label }: { src: string; label: string }) {
  const { connectorId, mayOpenPages } = useFormContext();
  const [src] = useDebouncedValue(given, TYPING_MS);
  const isInline = INLINE.test(src);
  // Only owners get images at any address.
  const { data, isFetching } = useConnectorImage({ connectorId }, isInline || !mayOpenPages ? undefined : src);
  const image = isInline ? src : data;
  if (image) return <img className={classes.preview} src={image} alt={`Preview of ${label}`} />;
  if (image === undefined || isFetching || src !== given) return null;
  return (
    <Text size="xs" c="var(--late)" mt={4} role="status">
      No image can be shown from there. It must be a PNG, JPEG, GIF or WebP file of at most 1 MB.
    </Text>
  );
}
