import { createRequest } from "../ui/state/create-request.js";

export const paletteRequest = createRequest();
export const helpRequest = createRequest();
export const newOrganizationRequest = createRequest();
