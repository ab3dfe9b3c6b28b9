// From the samples of a case to its result. Pure.

import { compareBy, difference, growth, inverseRatio, ratio, summarise } from './statistics.mjs'

const values = (samples) => samples.map(({ value }) => value)
const cpus = (samples) => (samples.every(({ cpu }) => cpu !== undefined) ? samples.map(({ cpu }) => cpu) : undefined)
const peaks = (samples) => (samples.every(({ peak }) => peak !== undefined) ? samples.map(({ peak }) => peak) : undefined)

/**
 * What programs have measured: an object { family, case, unit, programs, goals }.
 *
 * A program is { name, role, samples, value, cpu, peak, ratio, cpuRatio }, or { name, role, error }. Its role is `ours`, `before` or `peer`, or
 * `before's peer` for what `before` is compared with. Samples are { value, cpu } or { value, peak } in the unit of the case, one a round; value,
 * cpu and peak are their summaries; the ratios are ours divided by it.
 */
export const resultOf = ({ name: family, unit }, { name, about, isNull, megabytes, goals = [], sizes }, programs) => {
  const summarised = programs.map((program) => (program.samples ? { ...program, ...summaries(program) } : program))
  const found = (role) => summarised.find((program) => program.role === role && program.samples)
  const result = { family, case: name, about, unit, isNull, megabytes: megabytes?.(), programs: summarised }
  if (sizes) return { ...result, goals: [grown(goals[0], summarised)] }
  for (const program of summarised)
    if (program.role !== 'ours' && program.samples && found('ours')) Object.assign(program, ratios(found('ours'), program))
  return { ...result, goals: goals.map((goal) => ('under' in goal ? absolute(goal, found) : reached(goal, summarised, found))) }
}

const summaries = ({ samples }) => ({
  value: summarise(values(samples)),
  ...second('cpu', cpus(samples)),
  ...second('peak', peaks(samples)),
})
const second = (name, numbers) => (numbers ? { [name]: summarise(numbers) } : {})

const both = (operation, one, other) => ({
  is: compareBy(operation, values(one.samples), values(other.samples)),
  ...(one.cpu && other.cpu && { cpu: compareBy(operation, cpus(one.samples), cpus(other.samples)) }),
})

const ratios = (ours, program) => {
  const { is, cpu } = both(ratio, ours, program)
  return { ratio: is, cpuRatio: cpu }
}

/** By itself, in the unit of the case. */
const absolute = ({ under: wanted }, found) => {
  const [is, before] = [found('ours'), found('before')].map((program) => program?.value)
  return { kind: 'under', wanted, is, cpu: found('ours')?.cpu, before, isMet: is !== undefined && is.median <= wanted }
}

const KINDS = {
  atMost: { compare: ratio, isMet: (is, wanted) => is <= wanted },
  atLeast: { compare: inverseRatio, isMet: (is, wanted) => is >= wanted },
  atMostMore: { compare: difference, isMet: (is, wanted) => is <= wanted },
}

/** { kind, to, wanted, is, cpu, before, isMet }: `is` compares ours with the peer, `before` what was before with its own. */
const reached = (goal, programs, found) => {
  const [kind, wanted] = Object.entries(goal).find(([key]) => key in KINDS)
  const { compare, isMet } = KINDS[kind]
  const peer = (role) => programs.find((program) => program.name === goal.to && program.role === role && program.samples)
  const against = (one, other) => (one && other ? both(compare, one, other) : undefined)
  const now = against(found('ours'), peer('peer'))
  const before = against(found('before'), peer("before's peer") ?? peer('peer'))
  return {
    kind,
    to: goal.to,
    wanted,
    ...now,
    before: before?.is,
    beforeCpu: before?.cpu,
    isMet: now ? isMet(now.is.median, wanted) : false,
  }
}

/** The same for a case that is measured at several sizes. `is` is the power of n, by processor time if that is known: that is what it costs. */
const grown = ({ growsAtMost: wanted }, programs) => {
  const fit = (role) => {
    const all = programs.filter((program) => program.role === role && program.samples)
    const pick = all.every(({ cpu }) => cpu) ? cpus : values
    const base = all.find(({ n }) => n === 0)
    const sizes = all.filter(({ n }) => n > 0).map(({ n, samples }) => [n, pick(samples)])
    return base && sizes.length > 1 ? growth(sizes, pick(base.samples)) : undefined
  }
  const is = fit('ours')
  return { kind: 'growsAtMost', wanted, is, before: fit('before'), isMet: is !== undefined && is.median <= wanted }
}
