// Makes the embedded PostgreSQL of an installation ready to run. The server does this itself at its first start, where it
// may write to the folder of its packages; in an image and under systemd it may not.

import { findBinaries } from "./storage/postgres/embedded/binaries.js";

await findBinaries();
