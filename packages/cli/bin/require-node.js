// Says in one sentence that Node is too old, before anything is imported that an old one does not know. It is also the first step
// of the scripts of the repository. It imports nothing and its syntax is old, because it must run on what it refuses.

const LEAST = [20, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
  console.error(`Muster needs Node.js ${LEAST.join(".")} or later, and this is ${process.versions.node}.`);
  process.exit(1);
}
