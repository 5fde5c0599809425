// An environment as others see it: its addresses, and handles on its parts. All of it follows from one file of data, so that
// test processes can attach to what another process started.
import { readFileSync } from "node:fs";
import { tokenFor, type ServiceAccountAccess } from "./access.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { ObjectStore } from "./object-store.ts";
import { makePart, type Part, type PartName, type PartPlan } from "./part.ts";
import { makePostgres, type Postgres, type PostgresAddress } from "./postgres.ts";
import type { Provider } from "./provider.ts";

/** What the owner of an environment writes down about it. */
export interface Coordinates {
  readonly folder: string;
  readonly socketPath: string;
  readonly plans: Readonly<Partial<Record<PartName, PartPlan>>>;
  readonly controlPlane: ControlPlane | undefined;
  readonly postgres: PostgresAddress | undefined;
  readonly s3: ObjectStore | undefined;
  readonly provider: Provider | undefined;
}

/** Asking for a part that was left out throws. */
export interface AttachedEnvironment {
  readonly folder: string;
  /** Of the administrator. */
  readonly kubeconfigPath: string;
  readonly apiServerUrl: string;
  readonly caFile: string;
  readonly adminToken: string;
  readonly kubectlPath: string;
  readonly postgres: Postgres;
  readonly s3: ObjectStore;
  readonly provider: Provider;
  part(name: PartName): Part;
  /** A token and a kubeconfig for the service account `namespace/name`, which must exist. */
  tokenFor(account: string): Promise<ServiceAccountAccess>;
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`cannot use ${what}: this environment was started without it`);
  return value;
}

/** The environment at these coordinates. */
export function attach(coordinates: Coordinates): AttachedEnvironment {
  const { folder, socketPath, plans } = coordinates;
  const plane = () => present(coordinates.controlPlane, "the control plane");
  return {
    folder,
    get kubeconfigPath() {
      return plane().kubeconfigPath;
    },
    get apiServerUrl() {
      return plane().apiServerUrl;
    },
    get caFile() {
      return plane().caFile;
    },
    get adminToken() {
      return plane().adminToken;
    },
    get kubectlPath() {
      return plane().kubectlPath;
    },
    get postgres() {
      return makePostgres(present(coordinates.postgres, "Postgres"));
    },
    get s3() {
      return present(coordinates.s3, "S3");
    },
    get provider() {
      return present(coordinates.provider, "the provider simulator");
    },
    part: (name) => makePart(socketPath, present(plans[name], name)),
    tokenFor: async (account) => {
      const { apiServerUrl, caFile, adminToken } = plane();
      return tokenFor({ apiServerUrl, caFile, token: adminToken }, folder, account);
    },
  };
}

/** The environment whose owner wrote this file. */
export function attachTo(coordinatesPath: string): AttachedEnvironment {
  return attach(JSON.parse(readFileSync(coordinatesPath, "utf8")) as Coordinates);
}
