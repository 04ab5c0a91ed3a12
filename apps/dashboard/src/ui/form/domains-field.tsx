import { NamesField, type NamesFieldProps } from "./names-field.js";

/** The hosts whose pages may send as a platform or with a page key. */
export function DomainsField(props: Omit<NamesFieldProps, "label" | "description">) {
  return (
    <NamesField
      label="Allowed domains"
      description="Hosts whose pages may use it, such as shop.example.com, or *.example.com for all hosts under it. Press Enter after each."
      {...props}
    />
  );
}
