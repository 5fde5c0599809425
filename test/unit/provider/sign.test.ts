// The signature of webhooks, against the example of the Standard Webhooks specification's reference libraries.
import { expect, test } from "@jest/globals";
import { signatureOf } from "../../provider/webhooks/sign.ts";

test("a message is signed as the reference libraries sign it", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(signatureOf(secret, message)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});
