import { type Static, Type } from "typebox";

export const ManifestProblem = Type.Object({
  path: Type.String({ description: "Where, such as `private_settings.3.type`." }),
  message: Type.String(),
  severity: Type.Enum(["error", "warning"], {
    description: "`error`: the part is not used; `warning`: the part is used, but perhaps not as its author expects.",
  }),
});
export type ManifestProblem = Static<typeof ManifestProblem>;
