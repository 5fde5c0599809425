// A process that owns an environment, for tests that kill it: prints the path of its coordinates and stays.
import { startEnvironment } from "../env/environment.ts";

const environment = await startEnvironment({ controlPlane: false, provider: false });
console.log(environment.coordinatesPath);
setInterval(() => undefined, 60_000);
