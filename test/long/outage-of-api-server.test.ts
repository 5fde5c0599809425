import { test } from "@jest/globals";
import { OUTAGE_TEST_MS, surviveOutage } from "../operator/outage.ts";

test(
  "kube-apiserver away for 20 s in the middle of 50 tasks delays work and loses nothing",
  () => surviveOutage(["kube-apiserver"]),
  OUTAGE_TEST_MS,
);
