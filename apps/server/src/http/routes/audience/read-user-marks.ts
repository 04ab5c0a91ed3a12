import { isObject, Refusal, type RefusalDetail } from "@muster/protocol";
import { exceedsBytes } from "../../../domain/attributes/exceeds-bytes.js";
import type { UserMarkChanges } from "../../../domain/profiles/user-marks.js";

const FIELDS = ["is_admin", "approved", "settings"];
const MAX_NOTIFICATIONS_BYTES = 8 * 1024;

/** Whether a body names a field of the user record that can be changed. */
export function namesMarks(body: unknown): boolean {
  return isObject(body) && FIELDS.some((field) => Object.hasOwn(body, field));
}

/** Reads the changes of a user record. Everything that is not a mark is refused. */
export function readUserMarks(body: unknown): UserMarkChanges {
  const { is_admin, approved, settings, ...others } = isObject(body) ? body : {};
  const details: RefusalDetail[] = Object.keys(others).map((key) => ({
    path: `body.${key}`,
    message: "is not changed here; attributes are changed with traits, at the gateway or with PUT /me/traits",
  }));
  const { notifications, ...otherSettings } = isObject(settings) ? settings : {};
  if (is_admin !== undefined && typeof is_admin !== "boolean") {
    details.push({ path: "body.is_admin", message: "must be true or false" });
  }
  if (approved !== undefined && typeof approved !== "boolean") {
    details.push({ path: "body.approved", message: "must be true or false" });
  }
  if (settings !== undefined && (!isObject(notifications) || Object.keys(otherSettings).length > 0)) {
    details.push({ path: "body.settings", message: "must be an object with an object `notifications` alone" });
  } else if (isObject(notifications) && exceedsBytes(JSON.stringify(notifications), MAX_NOTIFICATIONS_BYTES)) {
    details.push({
      path: "body.settings.notifications",
      message: `has at most ${MAX_NOTIFICATIONS_BYTES} bytes as JSON`,
    });
  }
  const [first] = details;
  if (first) throw new Refusal("invalid_parameter", `${first.path} ${first.message}.`, { details });
  return {
    ...(typeof is_admin === "boolean" ? { isAdmin: is_admin } : {}),
    ...(typeof approved === "boolean" ? { approved } : {}),
    ...(isObject(notifications) ? { notifications } : {}),
  };
}
