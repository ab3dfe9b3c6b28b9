// Rows as columns of one width each, for a terminal.

export const writeTable = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)))
  return all.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length))
      .join('  ')
      .trimEnd(),
  )
}
