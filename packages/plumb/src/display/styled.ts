// Colours of the live lines, where they are wanted (no-color.org).

const [DIM, BOLD, PLAIN] = ['\x1b[2m', '\x1b[1m', '\x1b[0m']

/** The titles are dim, and the last line, which is about all of it, stands out. */
export const styled = (lines: readonly string[]): readonly string[] => {
  if (process.env.NO_COLOR) return lines
  return lines.map((line, i) => {
    if (i === lines.length - 1) return `${BOLD}${line}${PLAIN}`
    return i === 0 ? `${DIM}${line}${PLAIN}` : line
  })
}
