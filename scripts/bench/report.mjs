// The report, in Markdown, of { run, families, results }. Pure.

export const report = ({ run, families, results }) =>
  [
    '# Speed and memory, measured',
    preface(run),
    '## Goals',
    goalTable(results),
    '## Noise',
    noise(run, results),
    ...families.flatMap((family) => [
      `## ${capital(family.name)}`,
      `${family.about} Unit: ${family.unit}; ${family.rounds} rounds.`,
      familyTable(results.filter((result) => result.family === family.name)),
      ...failures(results.filter((result) => result.family === family.name)),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')

const preface = ({ node, platform, processor, processors, jq, jaq, frameworks, isQuick, against, started, seconds }) =>
  [
    `Node.js ${node} on ${platform}, ${processors} × ${processor ?? 'a processor that does not say its name'}; ${jq ?? 'no jq here, so none of its cases'}; ${jaq ?? 'no jaq here'}.`,
    `${started.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${(seconds / 60).toFixed(1)} minutes${isQuick ? ', a quick look: few rounds and small sizes' : ''}.`,
    frameworks.length > 0 ? '' : 'No other agent framework is installed here, so there are none of their cases.',
    against ? '`before` is another checkout, measured in the same rounds; the ratio in its row is the change.' : '',
    'Programs of a family run by turns, in an order of chance. *ours ÷ it* is the ratio of the medians, below 1 where ours takes less, with the quartiles of the ratios of single rounds; *least* is the ratio of the least values. Processor time is that of the program and of what it has started, user and system.',
  ]
    .filter((line) => line !== '')
    .join('\n')

const WORDS = {
  atMost: (wanted, to) => `≤ ${wanted} × ${to}`,
  atLeast: (wanted, to) => `≥ ${wanted} × as fast as ${to}`,
  atMostMore: (wanted, to, unit) => `≤ ${wanted} ${unit} more than ${to}`,
  under: (wanted, _, unit) => `≤ ${wanted} ${unit}`,
  growsAtMost: (wanted) => `grows with n to the power of ${wanted} at most`,
}

const goalTable = (results) => {
  const rows = results.flatMap(({ family, case: name, unit, goals }) =>
    goals.map(({ kind, to, wanted, is, cpu, before, isMet }) => [
      `${family}: ${name}`,
      WORDS[kind](wanted, to, unit),
      is ? number(is.median) : 'not measured',
      spread(is),
      number(cpu?.median),
      number(before?.median),
      `${isMet ? 'met' : '**not met**'}${isBetween(wanted, is) ? ', within the spread' : ''}`,
    ]),
  )
  if (rows.length === 0) return 'None of the cases that were measured has a goal.'
  const met = rows.filter((row) => row.at(-1).startsWith('met')).length
  return `${table(['case', 'goal', 'measured', 'quartiles', 'by processor time', 'before', ''], rows)}\n\n${met} of ${rows.length} are met.`
}

const noise = ({ calibration: { before, after } }, results) => {
  const format = ({ value, cpu }) => `${number(value.median)} (${spread(value)}), processor ${number(cpu.median)}`
  const jobs = Object.keys(before.jobs).map((name) => [name, format(before.jobs[name]), format(after.jobs[name])])
  const loads = ['load of the last minute', before.load.toFixed(2), after.load.toFixed(2)]
  const nulls = results
    .filter(({ isNull }) => isNull)
    .flatMap(({ family, programs }) => programs.filter(({ role, ratio }) => role === 'peer' && ratio).map((program) => [family, program]))
    .map(([family, { ratio, cpuRatio }]) => [family, number(ratio.median), spread(ratio), number(ratio.least), number(cpuRatio?.median)])
  return [
    table(['ms', 'before all else', 'after'], [...jobs, loads]),
    ...(nulls.length > 0
      ? [
          'A program against itself, which would be 1 on a quiet machine:',
          table(['family', 'ratio', 'quartiles', 'least', 'processor time'], nulls),
        ]
      : []),
  ].join('\n\n')
}

const familyTable = (results) =>
  results.some(({ programs }) => programs.some(({ n }) => n !== undefined)) ? sizeTable(results) : caseTable(results)

const isShown = ({ role, samples }) => role !== "before's peer" && samples

const caseTable = (results) => {
  const hasSpeed = results.some(({ megabytes }) => megabytes !== undefined)
  const hasPeak = results.some(({ programs }) => programs.some(({ peak }) => peak))
  const rows = results.flatMap(({ case: name, about, megabytes, programs }) =>
    programs
      .filter(isShown)
      .map(({ name: program, role, value, cpu, peak, ratio, cpuRatio }, i) => [
        i > 0 ? '' : titled(name, about),
        role === 'peer' ? program : `**${program}**`,
        number(value.median),
        spread(value),
        number(value.least),
        number((hasPeak ? peak : cpu)?.median),
        ...(hasSpeed ? [megabytes ? number((megabytes / value.median) * 1000) : ''] : []),
        number(ratio?.median),
        spread(ratio),
        number(ratio?.least),
        ...(hasPeak ? [] : [number(cpuRatio?.median)]),
      ]),
  )
  const [second, ratioOfSecond] = hasPeak ? ['peak', []] : ['processor', ['processor']]
  const speed = hasSpeed ? ['MB/s'] : []
  return table(
    ['case', 'program', 'median', 'quartiles', 'least', second, ...speed, 'ours ÷ it', 'quartiles', 'least', ...ratioOfSecond],
    rows,
  )
}

const sizeTable = (results) => {
  const rows = results.flatMap(({ case: name, about, programs }) =>
    programs.filter(isShown).map(({ name: program, role, n, value, cpu }, i) => {
      const base = programs.find((other) => other.role === role && other.n === 0)
      const each = (pick) =>
        n > 0 && base?.samples && pick(base) ? number(((pick({ value, cpu }).median - pick(base).median) / n) * 1000) : ''
      return [
        i > 0 ? '' : titled(name, about),
        `**${program}**`,
        number(value.median),
        spread(value),
        number(cpu?.median),
        each((one) => one.value),
        each((one) => one.cpu),
      ]
    }),
  )
  return table(['case', 'n', 'median', 'quartiles', 'processor', 'µs for each', 'processor µs for each'], rows)
}

const titled = (name, about) => (about ? `${name}: ${about}` : name)

const failures = (results) =>
  results.flatMap(({ case: name, programs }) =>
    programs.filter(({ error }) => error).map(({ name: program, error }) => `Left out, ${name}, ${program}: ${error.trim()}`),
  )

const isBetween = (value, summary) => summary !== undefined && summary.low < value && value < summary.high

const spread = (summary) => (summary ? `${number(summary.low)}–${number(summary.high)}` : '')

/** Three digits that count. */
const number = (value) => {
  if (value === undefined) return ''
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toFixed(Math.min(digits, 3))
}

const capital = (text) => text[0].toUpperCase() + text.slice(1)

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
