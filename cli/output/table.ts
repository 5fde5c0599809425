// Columns as kubectl prints them: as wide as their widest cell, three blanks apart, nothing after the last one.

export function columns(rows: readonly (readonly string[])[], least: readonly number[] = []): readonly string[] {
  const widths = widthsOf(rows, least);
  return rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, (widths[index] ?? 0) + 3))).join(""),
  );
}

/** The widths of the columns, none below the one of the same place in `least`. */
export function widthsOf(rows: readonly (readonly string[])[], least: readonly number[] = []): readonly number[] {
  const widths = [...least];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell));
  }
  return widths;
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - lengthOf(cell)));
}

/** What is seen of it: characters, without the codes of colours. */
function lengthOf(cell: string): number {
  // eslint-disable-next-line no-control-regex -- colours are control characters
  return Array.from(cell.replace(/\u001b\[\d+m/g, "")).length;
}
