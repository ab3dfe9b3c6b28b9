// Measures one family: all programs of its cases in the same rounds.
//
// A family is { name, about, unit, rounds, cases, prepare, close }. A case is { name, about, goals } with `ours` and `peers`, which give the
// programs for a checkout, and perhaps `yardsticks`, programs of another job; or with `sizes`, which gives one program for each n. A program is
// { measure, answer }: measure resolves to a sample, answer to what it writes for a small input. A goal is { to, atMost | atLeast | atMostMore }
// or { growsAtMost }.

import { findUnlike } from './alike.mjs'
import { resultOf } from './results.mjs'
import { runRounds } from './rounds.mjs'

/** Resolves to one result for each case. The first place is ours, the second what was before. */
export const measureFamily = async (family, places, rounds = family.rounds) => {
  const cases = family.cases.map((one) => ({ one, programs: programsOf(one, places) }))
  await family.prepare?.()
  try {
    const unlike = await unlikeOf(cases)
    const fit = cases.flatMap(({ programs }) => programs.map(({ program }) => program)).filter((program) => !unlike.has(program))
    const samples = await runRounds([...new Set(fit.map(({ measure }) => measure))], rounds)
    const measured = ({ program, isAlike: _, ...rest }) => {
      const got = samples.get(program.measure)
      const error = unlike.get(program) ?? got.error
      return error ? { ...rest, error: error.message } : { ...rest, samples: got }
    }
    return cases.map(({ one, programs }) => resultOf(family, one, programs.map(measured)))
  } finally {
    await family.close?.()
  }
}

const unlikeOf = async (cases) => {
  const unlike = new Map()
  for (const { one, programs } of cases)
    for (const [program, error] of await findUnlike(programs, one.isUnordered)) unlike.set(program, error)
  return unlike
}

const programsOf = (one, places) => (one.isNull ? places.slice(0, 1) : places).flatMap((place, i) => programsIn(one, place, i === 0))

const programsIn = (one, place, isOurs) => {
  const [role, peerRole] = isOurs ? ['ours', 'peer'] : ['before', "before's peer"]
  if (one.sizes) return one.sizes(place).map(({ n, program }) => ({ name: `${place.label}, ${n}`, role, n, program }))
  const listed = (programs, isAlike) => Object.entries(programs).map(([name, program]) => ({ name, role: peerRole, program, isAlike }))
  return [
    { name: one.title ?? place.label, role, program: one.ours(place), isAlike: true },
    ...listed(one.peers(place), true),
    ...listed(one.yardsticks?.(place) ?? {}, false),
  ]
}
