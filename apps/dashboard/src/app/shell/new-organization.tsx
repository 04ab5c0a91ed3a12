import { useEffect, useState } from "react";
import { Dialog } from "../../ui/notes/dialog.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { newOrganizationRequest } from "../requests.js";

// Every screen loads this file, and hardly anybody creates an organization.
const OrganizationForm = lazyPart(() => import("./organization-form.js"), "default");

/** Creates an organization, for those who run the server, and opens it. */
export function NewOrganization() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => newOrganizationRequest.listen(() => setOpen(true)), []);
  const close = () => setOpen(false);
  return (
    <Dialog opened={isOpen} onClose={close} title="Create an organization">
      <OrganizationForm onClose={close} />
    </Dialog>
  );
}
