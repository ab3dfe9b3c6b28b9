// Finds assertions on elapsed time in the text of a test file: they fail on a slow machine, and pass on a fast one without a reason.

const CLOCK = String.raw`(?:Date\.now|performance\.now|process\.hrtime(?:\.bigint)?|process\.cpuUsage|computedMs)\(\w*\)`
const READING = new RegExp(String.raw`^\s*(?:const|let) (\w+|\{[\w, ]+\}) = ${CLOCK}$`)
const COMPARES = /[<>]=?\s/

/** The lines that assert on a difference of clock readings. */
export const findTimedAssertions = (text: string): string[] => {
  const lines = text.split('\n')
  const readings = new Set<string>()
  const isTimed = (line: string): boolean =>
    [...readings].some((name) => new RegExp(String.raw`(?<!['\w.])${name}\b`).test(line)) || new RegExp(`${CLOCK} [-+]`).test(line)
  return lines.filter((line) => {
    const [, reading] = READING.exec(line) ?? []
    for (const name of reading?.match(/\w+/g) ?? []) readings.add(name)
    const [, derived] = /^\s*const (\w+) = (?!async\b|\()/.exec(line) ?? []
    if (reading === undefined && derived && isTimed(line.replace(/^\s*const \w+ = /, ''))) readings.add(derived)
    const [, condition = ''] = /\bt\.(?:ok|notOk|equal|strictSame)\((.*)$/.exec(line) ?? []
    return COMPARES.test(condition.replace(/(['`]).*?\1/g, '')) && isTimed(condition)
  })
}
