// The order of test files: the levels that wait longest begin first, so that nothing long is left for the end.
import Sequencer from "@jest/test-sequencer";

const LEVELS = ["pods", "soak", "long", "e2e", "integration", "chart", "unit", "scenarios", "docs"];

const rank = ({ path }) => LEVELS.findIndex((level) => path.includes(`/test/${level}/`));

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
