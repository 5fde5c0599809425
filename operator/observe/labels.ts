// Bounds the values of labels, so that no name from outside can make the number of series grow without end.
import { LABEL_VALUES } from "./label-values.ts";
import { METRICS } from "./metric-table.ts";

const OTHER = "other";
/** Distinct values of a label whose set isn't closed (providers, reports) before the rest is counted as "other". */
const MAX_OPEN_VALUES = 64;

type Declared = Readonly<Record<string, string>>;

/** Gives labels as they may be written. Keeps in mind which open values it has seen. */
export function makeLabelBounds(): (metric: keyof typeof METRICS, labels: Declared) => Record<string, string> {
  const seen = new Map<string, Set<string>>();

  const open = (set: string, value: string): string => {
    const values = seen.get(set) ?? new Set<string>();
    seen.set(set, values);
    if (!values.has(value) && values.size >= MAX_OPEN_VALUES) return OTHER;
    values.add(value);
    return value;
  };

  return (metric, labels) => {
    const declared: Declared = METRICS[metric].labels;
    return Object.fromEntries(
      Object.entries(declared).map(([label, set]) => {
        const value = labels[label] ?? OTHER;
        return [label, isClosed(set) ? closed(set, value) : open(set, value)];
      }),
    );
  };
}

function isClosed(set: string): set is keyof typeof LABEL_VALUES {
  return Object.hasOwn(LABEL_VALUES, set);
}

function closed(set: keyof typeof LABEL_VALUES, value: string): string {
  const values: readonly string[] = LABEL_VALUES[set];
  return values.includes(value) ? value : OTHER;
}

/** Every combination of a metric's labels when all of its sets are closed; none otherwise. */
export function closedCombinations(metric: keyof typeof METRICS): readonly Record<string, string>[] {
  const declared: Declared = METRICS[metric].labels;
  let combinations: readonly Record<string, string>[] = [{}];
  for (const [label, set] of Object.entries(declared)) {
    if (!isClosed(set)) return [];
    combinations = combinations.flatMap((labels) => LABEL_VALUES[set].map((value) => ({ ...labels, [label]: value })));
  }
  return combinations;
}
