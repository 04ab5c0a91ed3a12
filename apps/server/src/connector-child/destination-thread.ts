import { workerData } from "node:worker_threads";
import { enterThread } from "@muster/destinations/thread";
import { isPublicAddress } from "../outbound/public-address.js";
import { guardConnections } from "./guard-connections.js";

// The thread of one destination. It has modules of its own, so its connections are guarded here too.

const { allowPrivateNetwork } = workerData as { allowPrivateNetwork: boolean };
if (!allowPrivateNetwork) guardConnections({ isAllowed: isPublicAddress });
enterThread();
