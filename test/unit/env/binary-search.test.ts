// Where the programs of the environment are looked for, and in which order.
import { expect, test } from "@jest/globals";
import { findControlPlane, findObjectStore, variableOf, type Places } from "../../env/binary-search.ts";

const TRIO = ["etcd", "kube-apiserver", "kubectl"];

interface Layout {
  readonly variables?: Readonly<Record<string, string>>;
  /** Folders and the programs in them. */
  readonly programs: Readonly<Record<string, readonly string[]>>;
}

function places({ variables = {}, programs }: Layout): Places {
  const paths = new Set(
    Object.entries(programs).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`)),
  );
  return {
    variables: { PATH: "/bin:/usr/bin", ...variables },
    cacheFolders: ["/cache/built", "/cache/archive"],
    isProgram: (path) => paths.has(path),
  };
}

interface Case {
  readonly when: string;
  readonly layout: Layout;
  readonly then: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  {
    when: "KUBEBUILDER_ASSETS wins over PATH and cache, even without a controller manager",
    layout: {
      variables: { KUBEBUILDER_ASSETS: "/assets" },
      programs: { "/assets": TRIO, "/bin": [...TRIO, "kube-controller-manager"], "/cache/built": TRIO },
    },
    then: { etcd: "/assets/etcd", "kube-apiserver": "/assets/kube-apiserver", kubectl: "/assets/kubectl" },
  },
  {
    when: "PATH wins over the cache when it has all three, in any of its folders",
    layout: { programs: { "/bin": ["etcd", "kubectl"], "/usr/bin": ["kube-apiserver"], "/cache/built": TRIO } },
    then: { etcd: "/bin/etcd", "kube-apiserver": "/usr/bin/kube-apiserver", kubectl: "/bin/kubectl" },
  },
  {
    when: "a kubectl alone in PATH is left there, as its version may not fit",
    layout: { programs: { "/bin": ["kubectl"], "/cache/built": [...TRIO, "kube-controller-manager"] } },
    then: {
      etcd: "/cache/built/etcd",
      "kube-apiserver": "/cache/built/kube-apiserver",
      kubectl: "/cache/built/kubectl",
      "kube-controller-manager": "/cache/built/kube-controller-manager",
    },
  },
  {
    when: "a build wins over a downloaded archive",
    layout: { programs: { "/cache/built": TRIO, "/cache/archive": TRIO } },
    then: {
      etcd: "/cache/built/etcd",
      "kube-apiserver": "/cache/built/kube-apiserver",
      kubectl: "/cache/built/kubectl",
    },
  },
  {
    when: "a variable of its own wins for that program alone",
    layout: {
      variables: { GENOP_ETCD: "/mine/etcd", GENOP_KUBE_CONTROLLER_MANAGER: "/mine/manager" },
      programs: { "/mine": ["etcd", "manager"], "/cache/archive": TRIO },
    },
    then: {
      etcd: "/mine/etcd",
      "kube-apiserver": "/cache/archive/kube-apiserver",
      kubectl: "/cache/archive/kubectl",
      "kube-controller-manager": "/mine/manager",
    },
  },
  { when: "nothing is found on a bare machine", layout: { programs: { "/bin": ["etcd"] } }, then: {} },
];

test.each(CASES)("$when", ({ layout, then }) => {
  expect(findControlPlane(places(layout))).toEqual(then);
});

test("an incomplete KUBEBUILDER_ASSETS is refused, not passed over", () => {
  const layout = { variables: { KUBEBUILDER_ASSETS: "/assets" }, programs: { "/assets": ["etcd"], "/bin": TRIO } };
  expect(() => findControlPlane(places(layout))).toThrow(/\/assets has no kube-apiserver, kubectl; unset it/);
});

test("a variable that names no program is refused, not passed over", () => {
  const layout = { variables: { GENOP_VERSITYGW: "/gone" }, programs: { "/bin": ["versitygw"] } };
  expect(() => findObjectStore(places(layout))).toThrow("cannot use GENOP_VERSITYGW: /gone is not a program");
});

test.each([
  [
    "its variable",
    { variables: { GENOP_VERSITYGW: "/mine/gateway" }, programs: { "/mine": ["gateway"], "/bin": ["versitygw"] } },
    "/mine/gateway",
  ],
  ["PATH", { programs: { "/usr/bin": ["versitygw"], "/cache/built": ["versitygw"] } }, "/usr/bin/versitygw"],
  ["the cache", { programs: { "/cache/built": ["versitygw"] } }, "/cache/built/versitygw"],
] as const)("the S3 server is taken from %s", (_place, layout, path) => {
  expect(findObjectStore(places(layout))).toEqual({ versitygw: path });
});

test("variables are named after the programs", () => {
  expect(variableOf("kube-apiserver")).toBe("GENOP_KUBE_APISERVER");
});
