// Columns of text, as wide as they must be. Pure.

export interface Alignment {
  /** The first and the last column of numbers; without a last one, all from the first. */
  readonly rightFrom: number;
  readonly rightTo?: number;
}

export function gridOf(rows: readonly (readonly string[])[], { rightFrom, rightTo = Infinity }: Alignment): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column >= rightFrom && column <= rightTo ? text.padStart(width) : text.padEnd(width);
  };
  return rows.map((row) => row.map(cell).join("  ").trimEnd());
}
