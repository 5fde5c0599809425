// The order of test files for one mutant: as GENOP_TEST_ORDER names them, so that what is likely to see it runs first.
import Sequencer from "@jest/test-sequencer";

const order = (process.env.GENOP_TEST_ORDER ?? "").split(",");
const rank = ({ path }) => order.findIndex((name) => path.endsWith(name));

export default class NearestFirst extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => rank(one) - rank(other));
  }
}
