import { test } from "@jest/globals";
import { OUTAGE_TEST_MS, surviveOutage } from "../operator/outage.ts";

test(
  "s3 and provider away for 20 s in the middle of 50 tasks delays work and loses nothing",
  () => surviveOutage(["s3", "provider"]),
  OUTAGE_TEST_MS,
);
