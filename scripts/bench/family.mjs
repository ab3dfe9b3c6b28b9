// Measures one family: all programs of its cases in the same rounds.
//
// A family is { name, about, unit, rounds, cases, prepare, close }. A case is { name, about, goals } with `ours` and `peers`, which give the
// programs for a checkout, and perhaps `yardsticks`, programs of another job; or with `sizes`, which gives one program for each n. A program is
// { measure, answer }: measure resolves to a sample, answer to what it writes for a small input. A goal is { to, atMost | atLeast | atMostMore }
// or { growsAtMost }, or { under } in the unit of the family.

import { resultOf } from './results.mjs'
import { runRounds } from './rounds.mjs'
import { findDifferentAnswers } from './same-answers.mjs'

/** Resolves to one result for each case. The first checkout is ours, the second what was before. */
export const measureFamily = async (family, checkouts, rounds = family.rounds) => {
  const cases = family.cases.map((one) => ({ one, programs: programsOf(one, checkouts) }))
  await family.prepare?.()
  try {
    const different = await findDifferent(cases)
    const fit = cases.flatMap(({ programs }) => programs.map(({ program }) => program)).filter((program) => !different.has(program))
    const samples = await runRounds([...new Set(fit.map(({ measure }) => measure))], rounds)
    const measured = ({ program, mustAgree: _, ...rest }) => {
      const got = samples.get(program.measure)
      const error = different.get(program) ?? got.error
      return error ? { ...rest, error: error.message } : { ...rest, samples: got }
    }
    return cases.map(({ one, programs }) => resultOf(family, one, programs.map(measured)))
  } finally {
    await family.close?.()
  }
}

const findDifferent = async (cases) => {
  const different = new Map()
  for (const { one, programs } of cases)
    for (const [program, error] of await findDifferentAnswers(programs, one.isUnordered)) different.set(program, error)
  return different
}

const programsOf = (one, checkouts) =>
  (one.isNull ? checkouts.slice(0, 1) : checkouts).flatMap((checkout, i) => programsIn(one, checkout, i === 0))

const programsIn = (one, checkout, isOurs) => {
  const [role, peerRole] = isOurs ? ['ours', 'peer'] : ['before', "before's peer"]
  if (one.sizes) return one.sizes(checkout).map(({ n, program }) => ({ name: `${checkout.label}, ${n}`, role, n, program }))
  const listed = (programs, mustAgree) => Object.entries(programs).map(([name, program]) => ({ name, role: peerRole, program, mustAgree }))
  return [
    { name: one.title ?? checkout.label, role, program: one.ours(checkout), mustAgree: true },
    ...listed(one.peers(checkout), true),
    ...listed(one.yardsticks?.(checkout) ?? {}, false),
  ]
}
