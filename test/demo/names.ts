// What things are called in the cluster: with a suffix where they must not meet others.
import type { InstallNames } from "../operator/installation.ts";
import type { ProviderName, Tenant } from "./cast.ts";

export const TENANTS: readonly Tenant[] = ["studio", "newcomer"];
/** The service account of an app in `studio`. */
export const APP = "app";
export const PROVIDERS: readonly ProviderName[] = ["simulated", "opaque"];

export interface Names {
  readonly operator: InstallNames;
  readonly namespace: (tenant: Tenant) => string;
  readonly provider: (name: ProviderName) => string;
}

export function namesWith(suffix: string, operator: InstallNames): Names {
  return { operator, namespace: (tenant) => `${tenant}${suffix}`, provider: (name) => `${name}${suffix}` };
}
